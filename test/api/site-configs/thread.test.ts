import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import type { Task } from "../../../src/domain/site-configs/tasks.js";
import { SiteConfigThread } from "../../../src/services/site-configs/thread.js";
import { Metrics } from "../../../src/telemetry/metrics.js";
import { metricValue } from "../../support/service/metric-samples.js";
import { goodSite } from "../../support/site-configs/store.js";

const { siteConfigRefusals: refusals } = new Metrics();
const thread = new SiteConfigThread(refusals);
afterAll(() => thread.close());

const check = (text = JSON.stringify(goodSite)): Task<"check"> => ({
  name: "check",
  input: { source: { text }, strict: false },
});
/** Keeps the thread busy for some time. */
const long = check(JSON.stringify({ ...goodSite, zeros: Array.from({ length: 200_000 }, () => 0) }));
const VALID = { valid: true, errors: [], warnings: [], notices: [] };

test("runs a task in the thread", async () => {
  expect(await thread.run(check())).toEqual(VALID);
  expect(await thread.run({ name: "diff", input: { from: '{"a":1}', to: '{"a":2}' } })).toEqual([
    { op: "replace", path: "/a", value: 2 },
  ]);
});

test("reports the invalid field", async () => {
  const patch = { json: `{"a":${"[".repeat(501)}${"]".repeat(501)}}`, field: ["patch"] };
  const task: Task<"patch"> = { name: "patch", input: { text: "{}", patch, strict: false } };
  await expect(thread.run(task)).rejects.toMatchObject({
    code: "invalid_field",
    field: expect.arrayContaining(["patch", "a"]),
    message: "must be nested at most 500 levels deep",
  });
});

test("reports an unexpected error and continues", async () => {
  const task: Task<"patch"> = {
    name: "patch",
    input: { text: "", patch: { json: "{}", field: ["patch"] }, strict: false },
  };
  await expect(thread.run(task)).rejects.toThrow("There is no JSON to patch.");
  expect(await thread.run(check())).toEqual(VALID);
});

test("skips a queued task when its client has disconnected", async () => {
  const controller = new AbortController();
  const first = thread.run(long);
  const waiting = thread.run(check(), controller.signal);
  const next = thread.run(check());
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: "bad_request" });
  await expect(thread.run(check(), controller.signal)).rejects.toMatchObject({ code: "bad_request" });
  expect(await first).toMatchObject({ valid: true });
  expect(await next).toEqual(VALID);
});

test("rejects tasks when the queue is full", async () => {
  const before = (await metricValue(refusals)) ?? 0;
  const tasks = Array.from({ length: 12 }, () => thread.run(long));
  const outcomes = await Promise.allSettled(tasks);
  const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(refused).toHaveLength(3);
  for (const error of refused) expect(error).toMatchObject({ code: "unavailable", retryAfter: 2 });
  expect(await metricValue(refusals)).toBe(before + 3);
  expect(await thread.run(check())).toEqual(VALID);
});

test("a crashed thread fails only its task and is replaced", async () => {
  const other = new SiteConfigThread(refusals);
  const started = once(process, "worker");
  const first = other.run(long);
  const failed = expect(first).rejects.toThrow(/worker thread exited/);
  const next = other.run(check());
  const [worker] = await started;
  if (!(worker instanceof Worker)) throw new TypeError("This is no worker.");
  await worker.terminate();
  await failed;
  expect(await next).toEqual(VALID);
  const last = expect(other.run(long)).rejects.toMatchObject({ code: "unavailable" });
  await other.close();
  await last;
  await expect(other.run(check())).rejects.toMatchObject({ code: "unavailable" });
});
