import { setTimeout as sleep } from "node:timers/promises";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { superviseRequests } from "../../src/http/server/requests.js";
import { WorkQueue } from "../../src/services/requests/work-queue.js";
import { Metrics } from "../../src/telemetry/metrics.js";
import { metricValue } from "../support/service/metric-samples.js";

/** A server that answers every request that it does not shed. */
async function start() {
  const app = Fastify();
  const metrics = new Metrics();
  superviseRequests(app, {
    work: new WorkQueue(10, metrics),
    metrics,
    tracing: undefined,
    timeoutMs: Number.POSITIVE_INFINITY,
    trustsProxies: false,
    successesPerSecond: 0,
    sendError: () => undefined,
  });
  app.setErrorHandler((_error, _request, reply) => reply.code(503).send());
  app.get("/*", () => "served");
  await app.ready();
  const statusOf = async (url: string) => (await app.inject({ url })).statusCode;
  return { app, statusOf, shed: () => metricValue(metrics.shedRequests, { limit: "event_loop" }) };
}

/** Keeps the event loop from turning. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("a long start sheds no requests", async () => {
  const { app, statusOf, shed } = await start();
  block(3_000);
  // Until after the first measurement.
  for (let tries = 0; tries < 25; tries += 1) {
    await sleep(100);
    expect(await statusOf("/graphql")).toBe(200);
  }
  expect(await shed()).toBe(0);
  await app.close();
});

test("an event loop with long turns sheds requests, but no health checks", async () => {
  const { app, statusOf, shed } = await start();
  for (let turn = 0; turn < 4; turn += 1) {
    block(1_500);
    await sleep(1);
  }
  expect(await statusOf("/livez")).toBe(200);
  expect(await statusOf("/graphql")).toBe(503);
  expect(await shed()).toBe(1);
  await app.close();
});
