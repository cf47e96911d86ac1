import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { CUTS, type FaultProxy, startFaultProxy } from "../../support/faults/fault-proxy.js";
import { type EventStream, openGroupStream } from "../../support/graphql/event-stream-client.js";
import { createTestDatabase } from "../../support/postgres/test-database.js";
import { callRest } from "../../support/rest/rest-client.js";
import {
  startTestService,
  type TestService,
  type TestServiceOptions,
} from "../../support/service/test-service.js";
import { startReceiver } from "../../support/webhooks/receiver.js";
import { createTenant, FAST, type WebhookTenant } from "../../support/webhooks/tenant.js";

const WATCH = `subscription { userGroupChanged(by: { providedId: "acme" }) { userGroup { name } } }`;
const GAP = { errors: [{ extensions: { code: "UNAVAILABLE", retryAfter: 1 } }] };

interface Faulted {
  readonly proxy: FaultProxy;
  readonly service: TestService;
  readonly tenant: WebhookTenant;
  watch(): Promise<EventStream>;
}

/** Starts a service with the group `acme` and a proxy for its background connections, or for all of them. */
async function start(
  faulted: "listening" | "everything",
  options: TestServiceOptions = {},
): Promise<Faulted> {
  const database = await createTestDatabase();
  const proxy = await startFaultProxy(database.target);
  const target = faulted === "everything" ? proxy.target : database.target;
  const service = await startTestService({
    use: { target, owner: database.owner },
    listenTarget: proxy.target,
    connectTimeoutMs: 1000,
    ...options,
  });
  onTestFinished(async () => {
    proxy.pass();
    proxy.forget();
    await service.close();
    await proxy.close();
    await database.drop();
  });
  const tenant = await createTenant(service);
  await tenant.createGroup("acme");
  const watch = async () => {
    const stream = await openGroupStream(service.url, `Token ${tenant.key}`, WATCH);
    onTestFinished(() => stream.close());
    return stream;
  };
  return { proxy, service, tenant, watch };
}

test.each(CUTS)("%s: replaces a listening connection that is cut and notifies subscribers", async (how) => {
  const { proxy, tenant, watch } = await start("listening");
  const stream = await watch();
  proxy.cut(how);
  expect(await stream.next()).toBeUndefined();
  expect(stream.isComplete()).toBe(false);
  proxy.pass();
  const again = await watch();
  await tenant.rename("acme", "After");
  expect(await again.next()).toMatchObject({
    data: { userGroupChanged: { userGroup: { name: "After" } } },
  });
});

test("detects a listening connection that is silently dead", async () => {
  const { proxy, tenant, watch } = await start("listening");
  const stream = await watch();
  proxy.swallow();
  await tenant.rename("acme", "Missed");
  expect(await stream.next()).toBeUndefined();
  expect(stream.isComplete()).toBe(false);
  // No subscription starts that could not receive events.
  expect(await watch()).toMatchObject({ status: 503, headers: { "retry-after": "1" }, body: GAP });
  proxy.pass();
  await expect.poll(async () => (await watch()).status).toBe(200);
  const again = await watch();
  await tenant.rename("acme", "After");
  expect(await again.next()).toMatchObject({ data: { userGroupChanged: { userGroup: { name: "After" } } } });
});

test("does not rely on notifications of revoked keys while the listening connection does not answer", async () => {
  const { proxy, service } = await start("listening", { speed: { keyCacheMs: 1 } });
  await service.services.notifications.listen();
  const account = await service.createAccount();
  const { secret, id } = await account.createKey({ scope: "read" });
  const read = async () => (await callRest(`${service.url}/api/user`, "POST", secret, {})).status;
  // Scope `read` does not allow rotation.
  const isCached = async () => {
    expect(await read()).toBe(403);
    await sleep(20);
    service.statements.length = 0;
    expect(await read()).toBe(403);
    return service.statements.length === 0;
  };
  await expect.poll(isCached).toBe(true);
  proxy.hold();
  await expect.poll(isCached).toBe(false);
  await service.services.accounts.revokeKey(id);
  expect(await read()).toBe(401);
});

test("can still be stopped when nothing is listened to", async () => {
  const { proxy, service, watch } = await start("listening");
  await watch();
  proxy.swallow();
  await service.services.changes.close();
});

test("checks subscribers' keys over one connection, even when it gets no answer", async () => {
  const { proxy, service, watch } = await start("everything");
  await watch();
  proxy.hold();
  service.statements.length = 0;
  await sleep(2500);
  expect(service.statements.filter((text) => text.includes("api_key")).length).toBe(1);
  proxy.pass();
});

test("resumes webhook delivery immediately after a long database outage", async () => {
  const webhooks = { allowPrivate: true, times: FAST };
  const { proxy, service, tenant } = await start("everything", { statementTimeoutMs: 500, webhooks });
  const receiver = await startReceiver();
  await tenant.listen(receiver.url);
  service.services.webhookDispatcher.start(service.server.log);
  await tenant.rename("acme", "Before");
  await expect.poll(async () => (await tenant.deliveries())[0].state).toBe("DELIVERED");
  proxy.swallow();
  // On a slow machine a check takes long, and so does the pause before the next one: ten seconds at most.
  await expect.poll(() => service.log.join("")).toContain("webhook deliveries could not be claimed");
  proxy.pass();
  proxy.forget();
  await expect.poll(async () => (await callRest(`${service.url}/readyz`, "GET", undefined)).status).toBe(200);
  await tenant.createGroup("after");
  await expect.poll(() => receiver.received.length).toBe(2);
});
