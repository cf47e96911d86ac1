import { describe, expect, test } from "vitest";
import type { Data } from "../../support/graphql/graphql-fixture.js";
import { patienceMs } from "../../support/service/patience.js";
import { type Answer, startReceiver } from "../../support/webhooks/receiver.js";
import { createTenant, startWebhooks, type WebhookTenant } from "../../support/webhooks/tenant.js";

const PAUSE_AFTER = 3;
/** Longer than any test, so that no pause ends by itself. */
const PAUSE_MS = 3_600_000;

const service = await startWebhooks({
  times: { pollMs: 10, retryDelaysMs: [20, 20, 20, 20, 20, 20, 20, 20] },
  slots: { perEndpoint: 1 },
  breaker: { pauseAfterFailures: PAUSE_AFTER, firstPauseMs: PAUSE_MS, maxPauseMs: PAUSE_MS },
});

const until = (check: () => Promise<unknown> | unknown) => expect.poll(check, { timeout: patienceMs() });

const ENDPOINTS = `{ webhookEndpoints(first: 100) { nodes { id disabledAt health {
  status lastSuccessAt lastFailureAt lastError consecutiveFailures failingSince pausedUntil disabledReason pendingDeliveries
} } } }`;

async function healthOf(tenant: WebhookTenant, id: string): Promise<Data> {
  const { webhookEndpoints } = await tenant.run(ENDPOINTS);
  return webhookEndpoints.nodes.find((endpoint: { id: string }) => endpoint.id === id).health;
}

/** Ends the pause of the tenant's endpoints and moves the start of their failures back. */
async function passTime({ accountId }: WebhookTenant, days = 0): Promise<void> {
  await service.query(
    // By way of UTC: Citus requires an immutable expression.
    `UPDATE webhook_endpoint SET paused_until = now(),
        failing_since = (failing_since AT TIME ZONE 'UTC' - $2 * interval '1 day') AT TIME ZONE 'UTC'
      WHERE account_id = $1`,
    [accountId, days],
  );
}

function logOf({ accountId }: WebhookTenant): string[] {
  return service.log
    .map((line) => JSON.parse(line))
    .filter((line) => line.accountId === accountId && line.level === 40)
    .map(({ msg }) => msg);
}

/** An endpoint whose receiver responds as the test wants, and its account. */
async function startEndpoint() {
  const tenant = await createTenant(service);
  let answer: Answer = { status: 500 };
  const receiver = await startReceiver(() => answer);
  const { id } = await tenant.listen(receiver.url);
  return {
    tenant,
    receiver,
    id,
    answerWith: (status: number) => {
      answer = { status };
    },
  };
}

describe("an endpoint", () => {
  test("is paused when it fails, probed with one delivery at a time and resumed in order; the log has two lines", async () => {
    const { tenant, receiver, id, answerWith } = await startEndpoint();
    expect(await healthOf(tenant, id)).toEqual({
      status: "UNKNOWN",
      lastSuccessAt: null,
      lastFailureAt: null,
      lastError: null,
      consecutiveFailures: 0,
      failingSince: null,
      pausedUntil: null,
      disabledReason: null,
      pendingDeliveries: 0,
    });
    for (const name of ["a", "b", "c", "d", "e"]) await tenant.createGroup(name);
    for (const name of ["a", "b"]) await tenant.rename(name, "Renamed");
    await until(async () => (await healthOf(tenant, id)).consecutiveFailures).toBe(PAUSE_AFTER);
    expect(await healthOf(tenant, id)).toMatchObject({
      status: "FAILING",
      lastError: "The receiver responded with status 500.",
      lastFailureAt: expect.any(String),
      failingSince: expect.any(String),
      pausedUntil: expect.any(String),
      pendingDeliveries: 7,
    });
    for (let probes = 1; probes <= 2; probes += 1) {
      await passTime(tenant);
      await until(async () => (await healthOf(tenant, id)).consecutiveFailures).toBe(PAUSE_AFTER + probes);
    }
    expect(receiver.received).toHaveLength(PAUSE_AFTER + 2);
    expect(logOf(tenant)).toEqual(["webhook endpoint is failing"]);

    answerWith(204);
    await passTime(tenant);
    await until(async () => (await tenant.deliveries({ state: "DELIVERED" })).length).toBe(7);
    expect(await healthOf(tenant, id)).toMatchObject({
      status: "HEALTHY",
      lastSuccessAt: expect.any(String),
      lastError: "The receiver responded with status 500.",
      consecutiveFailures: 0,
      failingSince: null,
      pausedUntil: null,
      pendingDeliveries: 0,
    });
    const delivered = receiver.received.slice(PAUSE_AFTER + 2).map(({ event }) => event.data.userGroup);
    for (const name of ["a", "b"]) {
      const received = delivered.filter(({ providedId }) => providedId === name);
      expect(received.map(({ version }) => version)).toEqual([1, 2]);
    }
    expect(logOf(tenant)).toEqual(["webhook endpoint is failing", "webhook endpoint recovered"]);
  });

  test("is not paused for occasional failures", async () => {
    const tenant = await createTenant(service);
    const receiver = await startReceiver((_received, count) => ({
      status: count % PAUSE_AFTER === 0 ? 204 : 500,
    }));
    const { id } = await tenant.listen(receiver.url);
    for (const name of ["a", "b", "c"]) await tenant.createGroup(name);
    await until(async () => (await tenant.deliveries({ state: "DELIVERED" })).length).toBe(3);
    expect(await healthOf(tenant, id)).toMatchObject({ status: "HEALTHY", pausedUntil: null });
    expect(logOf(tenant)).toEqual([]);
  });

  test("is disabled after days of failures, with an audit entry, a log line and an event to other endpoints", async () => {
    const { tenant, id, answerWith } = await startEndpoint();
    const watcher = await startReceiver();
    await tenant.listen(watcher.url, ["WEBHOOK_ENDPOINT_DISABLED"]);
    await tenant.createGroup("acme");
    await until(async () => (await healthOf(tenant, id)).consecutiveFailures).toBe(PAUSE_AFTER);
    await passTime(tenant, 2);
    await until(async () => (await healthOf(tenant, id)).consecutiveFailures).toBe(PAUSE_AFTER + 1);
    expect(await healthOf(tenant, id)).toMatchObject({ status: "FAILING", disabledReason: null });
    await passTime(tenant, 1);
    await until(async () => (await healthOf(tenant, id)).status).toBe("DISABLED");
    expect(await healthOf(tenant, id)).toMatchObject({ disabledReason: "FAILING", pendingDeliveries: 1 });
    expect(logOf(tenant)).toEqual(["webhook endpoint is failing", "webhook endpoint disabled"]);
    const log = "{ auditLog(first: 1) { nodes { action subjectId changed actorName } } }";
    expect((await tenant.run(log)).auditLog.nodes).toEqual([
      { action: "WEBHOOK_ENDPOINT_DISABLED", subjectId: id, changed: ["enabled"], actorName: "webhooks" },
    ]);
    await until(() => watcher.received.map(({ event }) => [event.type, event.data])).toEqual([
      ["webhook_endpoint.disabled", { webhookEndpoint: { id } }],
    ]);

    answerWith(204);
    await tenant.mutate("updateWebhookEndpoint", { id, enabled: true });
    await until(async () => (await healthOf(tenant, id)).status).toBe("HEALTHY");
    expect((await tenant.deliveries()).map(({ state }) => state)).toEqual(["DELIVERED", "DELIVERED"]);
  });

  test("is reset by another URL, and names who disabled it", async () => {
    const { tenant, id } = await startEndpoint();
    await tenant.createGroup("acme");
    await until(async () => (await healthOf(tenant, id)).consecutiveFailures).toBe(PAUSE_AFTER);
    const good = await startReceiver();
    await tenant.mutate("updateWebhookEndpoint", { id, url: good.url });
    await until(() => good.received.length).toBe(1);
    await tenant.mutate("updateWebhookEndpoint", { id, enabled: false });
    expect(await healthOf(tenant, id)).toMatchObject({ status: "DISABLED", disabledReason: "ADMIN" });
    await tenant.mutate("updateWebhookEndpoint", { id, enabled: true });
    expect(await healthOf(tenant, id)).toMatchObject({ status: "HEALTHY", disabledReason: null });
  });
});
