import { Readable } from "node:stream";

/** Takes the events of a source. */
export interface EventTaker<Event> {
  /** Takes the event that it asked for. */
  onEvent(event: Event): void;
  /** Called once, when the source has ended. @param error why it failed; undefined if it did not */
  onEnd(error?: Error): void;
}

/** A source of events. It has the next one when its taker asks for it, so that it gathers none for a client that does not read. */
export interface EventSource<Event> {
  /** Sets the taker, once. It learns at once if the source has ended. */
  follow(taker: EventTaker<Event>): void;
  /** Asks for the next event. */
  request(): void;
  /** Ends the source, even while an event is awaited. */
  end(): void;
}

/** Returns the events of a source as a stream, which asks for one when it is read. */
export function toReadable<Event>(source: EventSource<Event>): Readable & AsyncIterable<Event> {
  const events = new Readable({
    objectMode: true,
    highWaterMark: 0,
    read: () => source.request(),
    destroy(error, done) {
      source.end();
      done(error);
    },
  });
  source.follow({
    onEvent: (event) => void events.push(event),
    onEnd(error) {
      if (error) events.destroy(error);
      else events.push(null);
    },
  });
  return events;
}
