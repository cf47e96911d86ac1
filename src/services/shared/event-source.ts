/** Takes the events of a source. */
export interface EventTaker<Event> {
  /** Takes the event that it asked for. */
  onEvent(event: Event): void;
  /** Called once, when the source has ended. @param error why it failed; undefined if it did not */
  onEnd(error?: unknown): void;
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

interface Waiting<Event> {
  resolve(result: IteratorResult<Event, void>): void;
  reject(error: unknown): void;
}

/** Iterates over the events of a source: a generator could not return while it awaits an event, which may never come. */
export class EventIterator<Event> implements AsyncIterableIterator<Event>, EventTaker<Event> {
  #waiting: Waiting<Event> | undefined;
  #end: { readonly error: unknown } | undefined;

  constructor(private readonly source: EventSource<Event>) {
    source.follow(this);
  }

  next(): Promise<IteratorResult<Event, void>> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#end) this.onEnd(this.#end.error);
      else this.source.request();
    });
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.source.end();
    return { done: true, value: undefined };
  }

  onEvent(value: Event): void {
    this.#waiting?.resolve({ value });
    this.#waiting = undefined;
  }

  onEnd(error?: unknown): void {
    // Thrown once, to the call that awaits an event or the next one.
    this.#end = { error: this.#waiting ? undefined : error };
    if (error === undefined) this.#waiting?.resolve({ done: true, value: undefined });
    else this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
