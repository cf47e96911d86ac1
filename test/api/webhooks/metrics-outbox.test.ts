import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { OutboxReading } from "../../../src/telemetry/database-metrics.js";
import { registerScrapedMetrics } from "../../../src/telemetry/export/metrics.js";
import { Metrics } from "../../../src/telemetry/metrics.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { readSamples, scrape, sumOf } from "../../support/service/metric-samples.js";
import { startRunningApp } from "../../support/service/running-app.js";

/** Metrics with the given outbox reader. */
function metricsWith(
  outbox: () => Promise<OutboxReading>,
  isReady: () => Promise<boolean> = async () => true,
) {
  const metrics = new Metrics();
  registerScrapedMetrics(
    metrics,
    {
      build: { version: "1", node: "2", postgresql: "3" },
      http: { requestsInProgress: () => 0, connections: () => 0, unsentBytes: () => 0, bodyBytes: () => 0 },
      subscriptions: () => 0,
      webSockets: () => 0,
      webhooksInProgress: () => 0,
      unpublishedChanges: () => 0,
      isListening: () => true,
      isRedisReachable: () => undefined,
      isReady,
      outbox,
    },
    50,
  );
  return { read: async () => readSamples(await metrics.registry.metrics()) };
}

test("a database that hangs or fails neither delays nor fails a scrape", async () => {
  let reads = 0;
  let answer: (reading: OutboxReading) => void = () => undefined;
  const silent = metricsWith(() => {
    reads += 1;
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  for (let scrapes = 0; scrapes < 3; scrapes += 1) {
    const samples = await silent.read();
    expect(sumOf(samples, "user_groups_webhook_outbox_readable")).toBe(0);
    expect(sumOf(samples, "user_groups_webhook_deliveries_due")).toBeUndefined();
    expect(sumOf(samples, "user_groups_build_info")).toBe(1);
  }
  // Scrapes do not pile up.
  expect(reads).toBe(1);
  answer({ due: 3, lateSeconds: 4, endpoints: {}, snapshotAge: 5 });
  await sleep(0);
  const later = silent.read();
  answer({ due: 5, lateSeconds: 6, endpoints: {}, snapshotAge: 7 });
  expect(sumOf(await later, "user_groups_webhook_deliveries_due")).toBe(5);

  const failing = metricsWith(async () => {
    throw new Error("out of reach");
  });
  expect(sumOf(await failing.read(), "user_groups_webhook_outbox_readable")).toBe(0);
});

test.each<[what: string, isReady: () => Promise<boolean>, value: number]>([
  ["ready", async () => true, 1],
  ["shutting down", async () => false, 0],
  ["without its database", () => Promise.reject(new Error("unreachable")), 0],
  ["with a database that hangs", () => new Promise(() => undefined), 0],
])("a process that is %s reports it", async (_, isReady, value) => {
  const { read } = metricsWith(() => Promise.reject(new Error("not read")), isReady);
  expect(sumOf(await read(), "user_groups_ready")).toBe(value);
});

test("counts due and late deliveries of active endpoints; one that waits for another is not late", async () => {
  const running = await startRunningApp({ WEBHOOKS: "false" });
  const { url, key } = running;
  const create = (name: string) =>
    `mutation { createWebhookEndpoint(input: {name: "${name}", url: "https://${name}.example/"}) { webhookEndpoint { id } } }`;
  await callGraphql(url, key, create("one"));
  await callGraphql(url, key, create("off"));
  await callRest(`${url}/api/user`, "GET", key, { user_group_id: "acme", name: "A" });
  for (const name of ["B", "C"])
    await callRest(`${url}/api/user`, "PUT", key, { user_group_id: "acme", name });
  await running.query("UPDATE webhook_endpoint SET disabled_at = now() WHERE name = 'off'");
  const state = async () => {
    const samples = await scrape(url);
    const late = sumOf(samples, "user_groups_webhook_lateness_seconds") ?? Number.NaN;
    return { due: sumOf(samples, "user_groups_webhook_deliveries_due"), late: Math.floor(late / 60) };
  };
  const move = (minutes: number, which: string) =>
    running.query(
      `UPDATE webhook_delivery SET next_attempt_at = now() + ${minutes} * interval '1 minute' WHERE id IN (
        SELECT ${which}(id) FROM webhook_delivery GROUP BY endpoint_id)`,
    );
  expect(await state()).toEqual({ due: 3, late: 0 });
  // The last one of a subject waits for those before it.
  await move(-60, "max");
  expect(await state()).toEqual({ due: 3, late: 0 });
  await move(-30, "min");
  expect(await state()).toEqual({ due: 3, late: 30 });
  // The first one is retried later.
  await move(10, "min");
  expect(await state()).toEqual({ due: 2, late: 0 });
});

test("counts the transactions since the oldest snapshot, whichever role holds it", async () => {
  const { url, query } = await startRunningApp({ WEBHOOKS: "false" });
  const held = expect(query("SELECT pg_sleep(600)")).rejects.toThrow("canceling statement");
  const age = async () => {
    await query("SELECT pg_current_xact_id()");
    return sumOf(await scrape(url), "user_groups_database_snapshot_age_transactions");
  };
  await expect.poll(age).toBeGreaterThan(30);
  await query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query = 'SELECT pg_sleep(600)'`);
  await held;
  await expect.poll(age).toBeLessThan(30);
});
