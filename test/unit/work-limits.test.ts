import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { EventLoopTurns } from "../../src/services/requests/event-loop-turns.js";
import { WorkLimit } from "../../src/services/requests/work-limit.js";
import { Metrics } from "../../src/telemetry/metrics.js";
import { metricValue } from "../support/service/metric-samples.js";

test("an address has at most half of the work in progress, and the process all of it", async () => {
  const metrics = new Metrics();
  const work = new WorkLimit(10, metrics);
  const ends = Array.from({ length: 5 }, () => work.admit("192.0.2.1"));
  const refusal = { code: "unavailable", retryAfter: 1 };
  expect(() => work.admit("192.0.2.1")).toThrow(expect.objectContaining(refusal));
  for (let count = 0; count < 5; count += 1) work.admit("192.0.2.2");
  expect(() => work.admit("192.0.2.3")).toThrow(expect.objectContaining(refusal));
  for (const limit of ["address", "process"])
    expect(await metricValue(metrics.shedRequests, { limit })).toBe(1);
  // Work may be reported as ended twice.
  for (const end of [ends[0], ends[0], ends[1]]) end?.();
  work.admit("192.0.2.1");
  work.admit("192.0.2.3");
  expect(() => work.admit("192.0.2.4")).toThrow(expect.objectContaining(refusal));
});

test("work that arrives at once starts over several turns of the event loop, by address in turn", async () => {
  const turns = new EventLoopTurns();
  const started: string[] = [];
  const start = async (address: string) => {
    await turns.wait({ ip: address });
    started.push(address);
  };
  const all = [
    ...Array.from({ length: 100 }, () => start("192.0.2.1")),
    ...Array.from({ length: 2 }, () => start("192.0.2.2")),
  ];
  await Promise.resolve();
  expect(started.length).toBeLessThan(40);
  await nextTurn();
  await Promise.all(all);
  expect(started).toHaveLength(102);
  expect(started.lastIndexOf("192.0.2.2")).toBeLessThan(50);
});

test("health checks do not wait, unless many arrive at once", async () => {
  const turns = new EventLoopTurns();
  const requests = Array.from({ length: 100 }, () => turns.wait({ ip: "192.0.2.1" }));
  expect(requests.at(-1)).toBeInstanceOf(Promise);
  const checks = Array.from({ length: 100 }, () => turns.wait({ ip: "192.0.2.1" }, true));
  expect(checks[0]).toBeUndefined();
  expect(checks.at(-1)).toBeInstanceOf(Promise);
  await Promise.all([...requests, ...checks]);
  expect(turns.wait({ ip: "192.0.2.1" }, true)).toBeUndefined();
});
