import { expect, test } from "vitest";
import { EventIterator, type EventTaker } from "../../src/services/shared/event-source.js";

function openSource() {
  const source = {
    requests: 0,
    ends: 0,
    taker: undefined as EventTaker<number> | undefined,
    follow(taker: EventTaker<number>) {
      this.taker = taker;
    },
    request() {
      this.requests += 1;
    },
    end() {
      this.ends += 1;
      this.taker?.onEnd();
    },
  };
  return { source, iterator: new EventIterator(source) };
}

const DONE = { done: true, value: undefined };

test("an iterator asks for one event at a time", async () => {
  const { source, iterator } = openSource();
  expect(source.requests).toBe(0);
  const first = iterator.next();
  expect(source.requests).toBe(1);
  source.taker?.onEvent(7);
  expect(await first).toEqual({ value: 7 });
  expect(source.requests).toBe(1);
});

test("`return` ends the source while an event is awaited", async () => {
  const { source, iterator } = openSource();
  const awaited = iterator.next();
  expect(await iterator.return()).toEqual(DONE);
  expect(await awaited).toEqual(DONE);
  expect(source.ends).toBe(1);
});

test.each(["is awaited", "is handled"])(
  "an error is thrown once, if it comes while an event %s",
  async (when) => {
    const { source, iterator } = openSource();
    const error = new Error("the source failed");
    const awaited = when === "is awaited" ? iterator.next() : undefined;
    source.taker?.onEnd(error);
    await expect(awaited ?? iterator.next()).rejects.toBe(error);
    expect(await iterator.next()).toEqual(DONE);
  },
);
