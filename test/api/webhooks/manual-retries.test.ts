import { describe, expect, test } from "vitest";
import type { Data } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";
import { type Answer, holdAnswer, startReceiver } from "../../support/webhooks/receiver.js";
import { createTenant, startWebhooks, type WebhookTenant } from "../../support/webhooks/tenant.js";

const PAUSE_AFTER = 2;
/** Longer than any test, so that no pause or retry comes by itself. */
const HOUR_MS = 3_600_000;

const service = await startWebhooks({
  times: { pollMs: 10, retryDelaysMs: [HOUR_MS, HOUR_MS] },
  slots: { perEndpoint: 1 },
  breaker: { pauseAfterFailures: PAUSE_AFTER, firstPauseMs: HOUR_MS, maxPauseMs: HOUR_MS },
});
const until = (check: () => Promise<unknown> | unknown) => expect.poll(check);

/** An endpoint whose receiver responds as the test wants; each group is one delivery. */
async function startEndpoint(status = 500) {
  const tenant = await createTenant(service);
  let answer: Answer | Promise<Answer> = { status };
  const receiver = await startReceiver(() => answer);
  const { id } = await tenant.listen(receiver.url);
  const answerWith = (next: typeof answer) => {
    answer = next;
  };
  return { tenant, receiver, id, answerWith };
}

async function startPaused() {
  const endpoint = await startEndpoint();
  for (const name of ["a", "b", "c"]) await endpoint.tenant.createGroup(name);
  await until(async () => (await healthOf(endpoint.tenant)).pausedUntil).not.toBeNull();
  expect(endpoint.receiver.received).toHaveLength(PAUSE_AFTER);
  return endpoint;
}

async function healthOf(tenant: WebhookTenant): Promise<Data> {
  const query = "{ webhookEndpoints { nodes { health { consecutiveFailures pausedUntil status } } } }";
  return (await tenant.run(query)).webhookEndpoints.nodes[0].health;
}

const sendTest = (tenant: WebhookTenant, id: string) =>
  tenant.mutate(
    "sendTestWebhook",
    { id },
    "webhookDelivery { id state attempts lastStatus lastError } durationMs reply",
  );
const replayFailed = (tenant: WebhookTenant, id: string) =>
  tenant.mutate("replayFailedWebhookDeliveries", { id }, "replayedCount");

describe("a test event", () => {
  test("is sent at once, past a pause and an older one, and its outcome is returned; a success ends the pause", async () => {
    const { tenant, receiver, id, answerWith } = await startPaused();
    await service.query(
      `INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload, attempts, last_error)
        SELECT account_id, environment, id, gen_random_uuid(), 'webhook_endpoint.test', 'webhook_endpoint.test', '{}', 3, 'Older'
        FROM webhook_endpoint WHERE account_id = $1`,
      [tenant.accountId],
    );
    answerWith({ status: 503, body: "\n  No such\u0007 tenant \r\nsecret" });
    const failed = await sendTest(tenant, id);
    expect(failed).toEqual({
      webhookDelivery: {
        id: expect.any(String),
        state: "DEAD",
        attempts: 1,
        lastStatus: 503,
        lastError: "The receiver responded with status 503.",
      },
      durationMs: expect.any(Number),
      reply: "No such  tenant",
    });
    expect(receiver.received).toHaveLength(PAUSE_AFTER + 1);
    expect((await healthOf(tenant)).pausedUntil).not.toBeNull();

    answerWith({ status: 200, body: "é".repeat(300) });
    const sent = await sendTest(tenant, id);
    expect(sent).toMatchObject({
      webhookDelivery: { state: "DELIVERED", lastStatus: 200, lastError: null },
      reply: "é".repeat(200),
    });
    expect(sent["webhookDelivery"].id).not.toBe(failed["webhookDelivery"].id);
    expect(await healthOf(tenant)).toMatchObject({ pausedUntil: null, status: "HEALTHY" });
    // The untried delivery and the older test follow; the others wait for their retries.
    await until(async () => (await tenant.deliveries({ state: "DELIVERED" })).length).toBe(3);
  });

  test("of a request with an Idempotency-Key is sent after its reply", async () => {
    const { tenant, receiver, id } = await startEndpoint(204);
    const query = `mutation { sendTestWebhook(input: { id: "${id}" }) { webhookDelivery { state } durationMs } }`;
    const headers = { "idempotency-key": "one" };
    const { body } = await callRest(`${service.url}/graphql`, "POST", tenant.key, { query }, headers);
    expect(body).toEqual({
      data: { sendTestWebhook: { webhookDelivery: { state: "PENDING" }, durationMs: null } },
    });
    await until(async () => (await tenant.deliveries())[0].state).toBe("DELIVERED");
    expect(receiver.received).toHaveLength(1);
  });

  test("without a response says why; only one at a time is sent to an endpoint", async () => {
    const { tenant, receiver, id, answerWith } = await startEndpoint();
    const { held, release } = holdAnswer();
    answerWith(held);
    const first = sendTest(tenant, id);
    await until(() => receiver.received.length).toBe(1);
    const second = await sendTest(tenant, id);
    expect(second).toMatchObject({ webhookDelivery: { state: "PENDING" }, durationMs: null, reply: null });
    release(204);
    expect(await first).toMatchObject({
      webhookDelivery: { id: second["webhookDelivery"].id, state: "DELIVERED" },
      reply: "",
    });
    expect(receiver.received).toHaveLength(1);
    await tenant.mutate("updateWebhookEndpoint", { id, url: "http://127.0.0.1:1/refused" });
    expect(await sendTest(tenant, id)).toMatchObject({
      webhookDelivery: { state: "DEAD", lastStatus: null, lastError: "The request failed: ECONNREFUSED." },
      durationMs: expect.any(Number),
      reply: null,
    });
  });
});

test("a test event is not sent to an address that has become private", async () => {
  let address = "93.184.216.34";
  const lookup = async () => [{ address, family: 4 }];
  const careful = await startWebhooks({ allowPrivate: false, lookup });
  const receiver = await startReceiver();
  const tenant = await createTenant(careful);
  const { id } = await tenant.listen(
    receiver.url.replace("http:", "https:").replace("127.0.0.1", "crm.test"),
  );
  address = "127.0.0.1";
  expect(await sendTest(tenant, id)).toMatchObject({
    webhookDelivery: { state: "DEAD", lastError: "The address is private or reserved." },
    reply: null,
  });
  expect(receiver.received).toEqual([]);
});

describe("a delivery that waits for a retry", () => {
  test("is sent at once by a replay, which ends the pause, and starts over", async () => {
    const { tenant, receiver, answerWith } = await startPaused();
    const [failed] = await tenant.deliveries({ lastAttemptFailed: true });
    expect(failed).toMatchObject({ state: "PENDING", attempts: 1, lastStatus: 500 });
    answerWith({ status: 204 });
    expect((await tenant.replay(failed.id))["webhookDelivery"]).toMatchObject({
      state: "PENDING",
      attempts: 0,
    });
    await until(async () => (await tenant.deliveries({ state: "DELIVERED" })).length).toBe(2);
    expect(await tenant.deliveries({ lastAttemptFailed: true })).toHaveLength(1);
    expect(receiver.received).toHaveLength(PAUSE_AFTER + 2);
  });

  test("is not sent twice while it is being sent", async () => {
    const { tenant, receiver, answerWith } = await startEndpoint();
    const { held, release } = holdAnswer();
    answerWith(held);
    await tenant.createGroup("acme");
    await until(() => receiver.received.length).toBe(1);
    const [delivery] = await tenant.deliveries();
    expect((await tenant.replay(delivery.id))["webhookDelivery"]).toMatchObject({ attempts: 1 });
    release(204);
    await until(async () => (await tenant.deliveries())[0].state).toBe("DELIVERED");
    expect(receiver.received).toHaveLength(1);
  });
});

describe("an endpoint", () => {
  test("is resumed; while it still fails, it is paused again after one attempt per slot", async () => {
    const { tenant, receiver, id, answerWith } = await startPaused();
    await tenant.mutate("updateWebhookEndpoint", { id, enabled: true });
    await until(async () => (await healthOf(tenant)).consecutiveFailures).toBe(PAUSE_AFTER + 1);
    expect((await healthOf(tenant)).pausedUntil).not.toBeNull();
    expect(receiver.received).toHaveLength(PAUSE_AFTER + 1);
    const log = "{ auditLog(filter: { actions: [WEBHOOK_ENDPOINT_UPDATED] }) { totalCount } }";
    expect((await tenant.run(log)).auditLog.totalCount).toBe(0);
    answerWith({ status: 204 });
    expect(await replayFailed(tenant, id)).toEqual({ replayedCount: 3 });
    await until(async () => (await tenant.deliveries({ state: "DELIVERED" })).length).toBe(3);
    expect(await replayFailed(tenant, id)).toEqual({ replayedCount: 0 });
  });

  test("gets its failed deliveries again, the oldest 500 at a time, and no others", async () => {
    const { tenant, id } = await startPaused();
    await tenant.listen("http://127.0.0.1:1/other");
    const stranger = await createTenant(service);
    await service.query(
      `INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload, state, last_error)
        SELECT account_id, environment, endpoint.id, gen_random_uuid(), 'user_group.updated', 'user_group:' || n, '{}',
          (CASE WHEN n % 3 = 0 THEN 'delivered' ELSE 'dead' END)::webhook_delivery_state, CASE WHEN n % 3 > 0 THEN 'No.' END
        FROM webhook_endpoint AS endpoint, generate_series(1, 753) AS n WHERE account_id = $1`,
      [tenant.accountId],
    );
    // Of the endpoint, 502 are dead and two wait; a disabled one makes no attempts meanwhile.
    await tenant.mutate("updateWebhookEndpoint", { id, enabled: false });
    const [, second] = await tenant.deliveries({ endpointId: id, state: "DEAD" });
    expect(await replayFailed(tenant, id)).toEqual({ replayedCount: 500 });
    expect((await tenant.deliveries({ endpointId: id, state: "DEAD" })).map((each) => each.id)).not.toContain(
      second.id,
    );
    expect(await replayFailed(tenant, id)).toEqual({ replayedCount: 4 });
    const rows = await service.query(
      `SELECT state, count(*)::integer FROM webhook_delivery WHERE account_id = $1 AND endpoint_id <>
        (SELECT min(id) FROM webhook_endpoint WHERE account_id = $1) GROUP BY state ORDER BY state`,
      [tenant.accountId],
    );
    expect(rows).toEqual([
      { state: "delivered", count: 251 },
      { state: "dead", count: 502 },
    ]);
    await expect(replayFailed(stranger, id)).rejects.toThrow("WEBHOOK_ENDPOINT_NOT_FOUND");
  });
});
