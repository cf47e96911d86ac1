import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { startTestService, type TestService } from "../support/service/test-service.js";
import { startReceiver } from "../support/webhooks/receiver.js";
import { createTenant } from "../support/webhooks/tenant.js";

/** Long, because PostgreSQL counts blocks up to a second late. */
const WINDOW = 8_000;
const WINDOWS = 2;
/** One after the other takes longer. */
const SUBJECT_WINDOW = 600;
const SUBJECT_WINDOWS = 5;

/** Starts a service with a backlog for one endpoint, in a table that autovacuum does not analyze. */
async function startWithBacklog(count: number, subjects = count / 2) {
  const service = await startTestService({ webhooks: { allowPrivate: true } });
  onTestFinished(() => service.close());
  const receiver = await startReceiver();
  await (await createTenant(service)).listen(receiver.url);
  await service.query("ALTER TABLE webhook_delivery SET (autovacuum_enabled = off)");
  await service.query(`INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload)
    SELECT account_id, environment, id, gen_random_uuid(), 'user_group.updated', 'user_group:' || n % ${subjects}, '{}'
    FROM webhook_endpoint, generate_series(1, ${count}) AS n`);
  /** Waits until so many events have arrived. @returns the blocks of deliveries and their indexes that were read so far */
  const blocksAt = async (received: number) => {
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(received);
    return blocksRead(service);
  };
  return { service, receiver, blocksAt };
}

async function blocksRead(service: TestService): Promise<number> {
  const [{ blocks }] =
    await service.query(`SELECT heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read AS blocks
    FROM pg_statio_user_tables WHERE relname = 'webhook_delivery'`);
  return Number(blocks);
}

/** Opens a transaction, so that VACUUM removes nothing. */
async function openOldTransaction(service: TestService): Promise<void> {
  const old = new Client(clientOptions(service.owner));
  await old.connect();
  onTestFinished(() => old.end());
  await old.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM webhook_delivery LIMIT 1");
}

test("a backlog costs as many blocks per delivery at its end while an old transaction is open", async () => {
  const { service, receiver, blocksAt } = await startWithBacklog(WINDOWS * WINDOW);
  await service.query("ANALYZE webhook_delivery");
  await openOldTransaction(service);
  const before = await blocksAt(0);
  service.services.webhookDispatcher.start(service.server.log);
  const first = (await blocksAt(WINDOW)) - before;
  const start = await blocksAt((WINDOWS - 1) * WINDOW);
  const last = (await blocksAt(WINDOWS * WINDOW)) - start;
  expect(last).toBeLessThan(2 * first);
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(WINDOWS * WINDOW);
  expect(receiver.received).toHaveLength(WINDOWS * WINDOW);
});

test("so does a backlog of one subject, whose deliveries wait for each other", async () => {
  const { service, receiver, blocksAt } = await startWithBacklog(SUBJECT_WINDOWS * SUBJECT_WINDOW, 1);
  await service.query("ANALYZE webhook_delivery");
  await openOldTransaction(service);
  let before = await blocksAt(0);
  service.services.webhookDispatcher.start(service.server.log);
  const blocks: number[] = [];
  for (let window = 1; window <= SUBJECT_WINDOWS; window += 1) {
    const now = await blocksAt(window * SUBJECT_WINDOW);
    blocks.push(Math.round((now - before) / SUBJECT_WINDOW));
    before = now;
  }
  const [first = 0] = blocks;
  expect(
    blocks.slice(1).every((each) => each < 2 * first),
    String(blocks),
  ).toBe(true);
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(SUBJECT_WINDOWS * SUBJECT_WINDOW);
  expect(ids).toHaveLength(SUBJECT_WINDOWS * SUBJECT_WINDOW);
}, 300_000);

test("a backlog costs few blocks per delivery in a table that was never analyzed", async () => {
  const { service, blocksAt } = await startWithBacklog(20_000);
  const before = await blocksAt(0);
  service.services.webhookDispatcher.start(service.server.log);
  expect((await blocksAt(WINDOW)) - before).toBeLessThan(150 * WINDOW);
});
