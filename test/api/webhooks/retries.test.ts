import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { parseRetryAfter, RETRY_DELAYS_MS, retryDelay } from "../../../src/domain/webhooks/attempt.js";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { startTestService } from "../../support/service/test-service.js";
import { holdAnswer, type Received, startReceiver } from "../../support/webhooks/receiver.js";
import { createTenant, FAST, startWebhooks } from "../../support/webhooks/tenant.js";

const service = await startWebhooks();
const until = (check: () => Promise<unknown> | unknown) => expect.poll(check);
const seen = ({ event }: Received) => [event.data.userGroup.providedId, event.data.userGroup.version];

describe("a failed delivery", () => {
  test.each([
    ["an error", { status: 500 }],
    ["a redirect, which is not followed", { status: 307, headers: { location: "/elsewhere" } }],
    ["a refusal", { status: 400 }],
  ])("with %s is retried under the same ID until it succeeds", async (_name, failure) => {
    const tenant = await createTenant(service);
    const receiver = await startReceiver((_received, count) => (count < 3 ? failure : { status: 200 }));
    await tenant.listen(receiver.url);
    await tenant.createGroup("acme");
    await until(async () => (await tenant.deliveries())[0].state).toBe("DELIVERED");
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(receiver.received.map(({ url }) => url)).toEqual(["/hook", "/hook", "/hook"]);
    expect(await tenant.deliveries()).toMatchObject([
      {
        attempts: 3,
        lastStatus: 200,
        lastError: null,
        nextAttemptAt: null,
        deliveredAt: expect.any(String),
        payload: receiver.received[0]?.event,
      },
    ]);
  });

  test("holds back only the later events of its group", async () => {
    const tenant = await createTenant(service);
    const { held, release } = holdAnswer();
    const receiver = await startReceiver((received, count) => {
      if (count === 1) return { status: 503 };
      return seen(received)[0] === "first" ? held : { status: 204 };
    });
    const other = await startReceiver();
    await tenant.listen(receiver.url);
    await tenant.listen(other.url);
    await tenant.createGroup("first");
    await until(() => receiver.received.length).toBe(2);
    await tenant.rename("first", "Renamed");
    await tenant.createGroup("second");
    await tenant.rename("second", "Renamed");
    const before = [
      ["first", 1],
      ["first", 1],
      ["second", 1],
      ["second", 2],
    ];
    await until(() => receiver.received.map(seen)).toEqual(before);
    await until(() => other.received.length).toBe(4);
    release(204);
    await until(() => receiver.received.map(seen)).toEqual([...before, ["first", 2]]);
  });

  test("is dead after the last attempt; then the next event is sent, and a replay sends it again", async () => {
    const tenant = await createTenant(service);
    let fails = true;
    const receiver = await startReceiver(({ event }) => ({
      status: fails && event.data.userGroup.version === 1 ? 500 : 204,
    }));
    await tenant.listen(receiver.url);
    await tenant.createGroup("acme");
    await tenant.rename("acme", "Renamed");
    await until(async () => (await tenant.deliveries()).map(({ state }) => state)).toEqual([
      "DEAD",
      "DELIVERED",
    ]);
    const [dead, delivered] = await tenant.deliveries();
    expect(dead).toMatchObject({
      attempts: FAST.retryDelaysMs.length + 1,
      lastStatus: 500,
      lastError: "The receiver responded with status 500.",
      nextAttemptAt: null,
      deliveredAt: null,
    });
    fails = false;
    const payload = { state: "PENDING", attempts: 0, eventId: dead.eventId };
    expect(await tenant.replay(dead.id)).toEqual({ webhookDelivery: payload, userErrors: [] });
    await until(async () => (await tenant.deliveries({ state: "DELIVERED" })).length).toBe(2);
    await tenant.replay(delivered.id);
    await until(() => receiver.received.map(seen)).toEqual([
      ...Array.from({ length: 4 }, () => ["acme", 1]),
      ["acme", 2],
      ["acme", 1],
      ["acme", 2],
    ]);
  });

  test.each([
    ["3600", 3600],
    ["7200", 3600],
  ])("waits as Retry-After: %s says, at most an hour", async (header, seconds) => {
    const tenant = await createTenant(service);
    const receiver = await startReceiver(() => ({ status: 429, headers: { "retry-after": header } }));
    await tenant.listen(receiver.url);
    await tenant.createGroup("acme");
    await until(async () => (await tenant.deliveries())[0].lastStatus).toBe(429);
    const [{ state, nextAttemptAt, createdAt }] = await service.query(
      `SELECT state, next_attempt_at AS "nextAttemptAt", created_at AS "createdAt" FROM webhook_delivery WHERE account_id = $1`,
      [tenant.accountId],
    );
    expect(state).toBe("pending");
    const waited = (nextAttemptAt.getTime() - createdAt.getTime()) / 1000;
    expect(waited).toBeGreaterThanOrEqual(seconds);
    expect(waited).toBeLessThan(seconds + 600);
    expect(receiver.received).toHaveLength(1);
  });

  test("with 410 disables the endpoint until it is enabled", async () => {
    const tenant = await createTenant(service);
    let isGone = true;
    const receiver = await startReceiver(() => ({ status: isGone ? 410 : 204 }));
    const { id } = await tenant.listen(receiver.url);
    await tenant.createGroup("acme");
    await until(async () => (await tenant.deliveries())[0].state).toBe("DEAD");
    expect(receiver.received).toHaveLength(1);
    const query = `{ webhookEndpoints { nodes { disabledAt health { disabledReason } } }
      auditLog(filter: { actions: [WEBHOOK_ENDPOINT_DISABLED] }) { nodes { actorName changed } } }`;
    expect(await tenant.run(query)).toEqual({
      webhookEndpoints: { nodes: [{ disabledAt: expect.any(String), health: { disabledReason: "GONE" } }] },
      auditLog: { nodes: [{ actorName: "webhooks", changed: ["enabled"] }] },
    });
    await tenant.rename("acme", "Not told");
    isGone = false;
    await tenant.mutate("updateWebhookEndpoint", { id, enabled: true });
    await tenant.rename("acme", "Told");
    await until(() => receiver.received.map(seen)).toEqual([
      ["acme", 1],
      ["acme", 3],
    ]);
  });

  test("records why there was no response", async () => {
    const tenant = await createTenant(service);
    await tenant.listen("http://127.0.0.1:1/refused");
    const { id } = await tenant.listen("https://127.0.0.1:1/deleted");
    await tenant.createGroup("acme");
    await until(async () => (await tenant.deliveries({ state: "DEAD" })).length).toBe(2);
    expect(await tenant.deliveries()).toMatchObject(
      Array(2).fill({ lastStatus: null, lastError: "The request failed: ECONNREFUSED." }),
    );
    await tenant.mutate("deleteWebhookEndpoint", { id });
    expect(await tenant.deliveries()).toHaveLength(1);
  });
});

test("polling continues after a failed poll, however long it took", async () => {
  const times = { pollMs: 10 };
  const late = await startTestService({ lockTimeoutMs: 1500, webhooks: { allowPrivate: true, times } });
  try {
    const tenant = await createTenant(late);
    const receiver = await startReceiver();
    await tenant.listen(receiver.url);
    await tenant.createGroup("acme");
    const other = new Client(clientOptions(late.owner));
    await other.connect();
    await other.query("BEGIN; LOCK TABLE webhook_delivery IN ACCESS EXCLUSIVE MODE");
    late.services.webhookDispatcher.start(late.server.log);
    await until(() => late.log.join("")).toContain("webhook deliveries could not be claimed");
    await other.end();
    await until(() => receiver.received.length).toBe(1);
  } finally {
    await late.close();
  }
});

test("a receiver with an endless response counts as reached", async () => {
  const tenant = await createTenant(service);
  const receiver = await startReceiver(() => ({ status: 200, body: "x".repeat(5_000_000) }));
  await tenant.listen(receiver.url);
  await tenant.createGroup("acme");
  await until(async () => (await tenant.deliveries())[0].state).toBe("DELIVERED");
});

describe("retry delays", () => {
  test("grow with a jitter of at most a fifth, and end after the last attempt", () => {
    for (const [index, delay] of RETRY_DELAYS_MS.entries()) {
      const waits = Array.from({ length: 100 }, () => retryDelay(index + 1, null) ?? 0);
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(delay * 0.8);
      expect(Math.max(...waits)).toBeLessThanOrEqual(delay * 1.2);
      expect(new Set(waits).size).toBeGreaterThan(10);
    }
    expect(retryDelay(RETRY_DELAYS_MS.length + 1, 1000)).toBeNull();
    expect(retryDelay(9, 1000)).toBeGreaterThan(60_000);
  });

  test.each([
    ["120", 120_000],
    ["0", 0],
    ["Fri, 21 Nov 2025 12:00:30 GMT", 30_000],
    ["Fri, 21 Nov 2025 11:00:00 GMT", 0],
    ["soon", null],
    [undefined, null],
  ])("are read from Retry-After: %s", (header, wait) => {
    expect(parseRetryAfter(header, new Date("2025-11-21T12:00:00Z"))).toBe(wait);
  });
});
