import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { MemoryCounters } from "../../src/services/requests/memory-counters.js";

const MINUTE = 60_000;

test("consumes all of the cost or none of it", () => {
  const counters = new MemoryCounters(MINUTE);
  expect(counters.take("a", 4, 5)).toMatchObject({ taken: true, used: 4 });
  expect(counters.take("a", 2, 5)).toMatchObject({ taken: false, used: 4 });
  expect(counters.take("a", 1, 5)).toMatchObject({ taken: true, used: 5 });
  expect(counters.take("a", 1, 5)).toMatchObject({ taken: false, used: 5 });
  expect(counters.take("b", 5, 5)).toMatchObject({ taken: true, used: 5 });
  expect(counters.take("c", 6, 5)).toMatchObject({ taken: false, used: 0 });
});

test("starts a window at its first request and a new one after it expires", async () => {
  const counters = new MemoryCounters(MINUTE);
  const { endsInMs } = counters.take("a", 1, 1);
  expect(endsInMs).toBeCloseTo(MINUTE);
  await sleep(5);
  expect(counters.take("a", 1, 1).endsInMs).toBeLessThan(endsInMs);
  const short = new MemoryCounters(5);
  short.take("a", 1, 1);
  await expect.poll(() => short.peek("a")).toBeUndefined();
  expect(short.take("a", 1, 1)).toMatchObject({ taken: true, used: 1 });
});

test("deletes expired windows when a new one starts", async () => {
  const counters = new MemoryCounters(5);
  for (const name of ["a", "b", "c"]) counters.take(name, 1, 1);
  await sleep(20);
  counters.take("d", 1, 1);
  expect(counters.size).toBe(1);
});

test("stores at most the maximum number of names", () => {
  const counters = new MemoryCounters(MINUTE, 100);
  for (let index = 0; index < 10_000; index += 1) counters.take(`address:${index}`, 1, 1);
  expect(counters.size).toBe(100);
  expect(counters.take("address:9999", 1, 1)).toMatchObject({ taken: false });
  expect(counters.take("address:0", 1, 1)).toMatchObject({ taken: true });
});

test("continues from counts of another store", () => {
  const counters = new MemoryCounters(MINUTE);
  counters.set("a", { used: 3, endsInMs: 1000 });
  expect(counters.take("a", 2, 4)).toMatchObject({ taken: false, used: 3 });
  expect(counters.peek("a")?.endsInMs).toBeLessThanOrEqual(1000);
  counters.set("a", { used: 1, endsInMs: 5000 });
  expect(counters.peek("a")?.endsInMs).toBeGreaterThan(1000);
  expect(counters.take("a", 2, 4)).toMatchObject({ taken: true, used: 3 });
});
