import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { claimDue, findDueEndpoints } from "../../../src/persistence/webhooks/outbox.js";
import type { DeliveryTimes } from "../../../src/services/webhooks/options.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";
import { holdAnswer, startReceiver } from "../../support/webhooks/receiver.js";
import { createTenant, FAST } from "../../support/webhooks/tenant.js";

/** Longer than a test. */
const HELD_MS = 600_000;

const until = (check: () => Promise<unknown> | unknown) => expect.poll(check);

/** Starts replicas on one database, with delivery not yet started. */
async function startReplicas(
  firstTimes: Partial<DeliveryTimes>,
  ...otherTimes: Partial<DeliveryTimes>[]
): Promise<[TestService, ...TestService[]]> {
  const encryptionKey = randomBytes(32);
  const start = async (times: Partial<DeliveryTimes>, use?: TestService) => {
    const webhooks = { allowPrivate: true, times: { ...FAST, ...times } };
    const service = await startTestService({ encryptionKey, webhooks, ...(use && { use }) });
    onTestFinished(() => service.close());
    return service;
  };
  const first = await start(firstTimes);
  const others: TestService[] = [];
  for (const times of otherTimes) others.push(await start(times, first));
  return [first, ...others];
}

function deliver(service: TestService | undefined): void {
  service?.services.webhookDispatcher.start(service.server.log);
}

test("replicas share the work: each event is sent once, and never two of one group at once", async () => {
  const replicas = await startReplicas({}, {}, {});
  const [first] = replicas;
  const tenant = await createTenant(first);
  const inFlight = new Set<string>();
  let overlaps = 0;
  const receiver = await startReceiver(async ({ event }) => {
    const { providedId } = event.data.userGroup;
    if (inFlight.has(providedId)) overlaps += 1;
    inFlight.add(providedId);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inFlight.delete(providedId);
    return { status: 204 };
  });
  await tenant.listen(receiver.url);
  for (const id of ["a", "b", "c", "d", "e", "f"]) await tenant.createGroup(id);
  for (const replica of replicas) deliver(replica);
  for (let round = 0; round < 10; round += 1)
    await Promise.all(["a", "b", "c", "d", "e", "f"].map((id) => tenant.rename(id, `Name ${round}`)));
  await until(async () => (await tenant.deliveries({ state: "PENDING" })).length).toBe(0);
  expect(receiver.received).toHaveLength(66);
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(66);
  expect(overlaps).toBe(0);
  for (const id of ["a", "b", "c", "d", "e", "f"]) {
    const received = receiver.received.filter(({ event }) => event.data.userGroup.providedId === id);
    expect(received.map(({ event }) => event.data.userGroup.version)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ]);
  }
});

test("deliveries claimed by a process that died are delivered by another when the lease expires", async () => {
  const [service] = await startReplicas({});
  const tenant = await createTenant(service);
  const receiver = await startReceiver();
  await tenant.listen(receiver.url);
  await tenant.createGroup("acme");
  await tenant.rename("acme", "Renamed");
  const operator = service.database.of("operator");
  const claim = async () => {
    const grants = (await findDueEndpoints(operator)).map((endpoint) => ({ endpoint, slots: 4 }));
    const { accountId } = tenant;
    return claimDue(service.database.for({ accountId, environment: "Customer" }), grants, 500);
  };
  const claimed = await claim();
  expect(claimed).toMatchObject([{ attempts: 1, url: receiver.url }]);
  expect(await claim()).toEqual([]);
  deliver(service);
  await until(() => receiver.received.map(({ event }) => event.type)).toEqual([
    "user_group.created",
    "user_group.updated",
  ]);
  await until(async () => (await tenant.deliveries()).map(({ attempts }) => attempts)).toEqual([2, 1]);
});

test("a process that outlives its lease does not overwrite its successor's result", async () => {
  const [slow, other] = await startReplicas({ leaseMs: 200 }, {});
  const tenant = await createTenant(slow);
  const { held, release } = holdAnswer();
  const receiver = await startReceiver((_received, count) => (count === 1 ? held : { status: 204 }));
  await tenant.listen(receiver.url);
  await tenant.createGroup("acme");
  deliver(slow);
  await until(() => receiver.received.length).toBe(1);
  // It claims nothing more, but waits for the response.
  const stopped = slow.services.webhookDispatcher.stop();
  deliver(other);
  await until(async () => (await tenant.deliveries())[0].state).toBe("DELIVERED");
  release(500);
  await stopped;
  expect(await tenant.deliveries()).toMatchObject([{ state: "DELIVERED", attempts: 2, lastStatus: 204 }]);
});

test("stopping waits for attempts in flight and claims no more", async () => {
  const [service] = await startReplicas({});
  const tenant = await createTenant(service);
  const { held, release } = holdAnswer();
  const receiver = await startReceiver(() => held);
  await tenant.listen(receiver.url);
  await tenant.createGroup("acme");
  deliver(service);
  await until(() => receiver.received.length).toBe(1);
  let isStopped = false;
  const stopped = service.services.webhookDispatcher.stop().then(() => {
    isStopped = true;
  });
  await tenant.createGroup("later");
  expect(isStopped).toBe(false);
  release(204);
  await stopped;
  expect((await tenant.deliveries()).map(({ state }) => state)).toEqual(["DELIVERED", "PENDING"]);
  expect(receiver.received).toHaveLength(1);
});

test("a slow receiver with many events delays no other", async () => {
  // No attempt ends before it is released.
  const times = { ...FAST, leaseMs: HELD_MS };
  const webhooks = { allowPrivate: true, times, attemptTimeoutMs: HELD_MS };
  const service = await startTestService({ encryptionKey: randomBytes(32), webhooks });
  onTestFinished(() => service.close());
  const slow = await createTenant(service);
  const quick = await createTenant(service);
  const { held, release } = holdAnswer();
  const stuck = await startReceiver(() => held);
  const receiver = await startReceiver();
  await slow.listen(stuck.url);
  await quick.listen(receiver.url);
  for (let index = 0; index < 20; index += 1) await slow.createGroup(`g${index}`);
  deliver(service);
  await until(() => stuck.received.length).toBe(4);
  for (let index = 0; index < 20; index += 1) await quick.createGroup(`g${index}`);
  await until(() => receiver.received.length).toBe(20);
  expect(stuck.received).toHaveLength(4);
  release(204);
  await until(async () => (await slow.deliveries({ state: "DELIVERED" })).length).toBe(20);
});
