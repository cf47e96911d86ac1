import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { claimDue, findDueEndpoints } from "../../src/persistence/webhooks/outbox.js";
import { startTestService, type TestService } from "../support/service/test-service.js";
import { startReceiver } from "../support/webhooks/receiver.js";
import { createTenant } from "../support/webhooks/tenant.js";

/** Maximum number of blocks read to claim deliveries. */
const MAX_BLOCKS = 500;
/** So many that searching those already delivered would cost more than all else. */
const WINDOW = 2_000;
/** Shorter, because they are sent one after the other. */
const SUBJECT_WINDOW = 800;
const EVENTS = 300;
const BACKLOG = 500;
/** In each of two accounts, one of them that of the healthy endpoint. */
const HANGING = 3;
/** Maximum requests in flight per endpoint. */
const IN_FLIGHT = 4;

const options = { encryptionKey: randomBytes(32), webhooks: { allowPrivate: true } };
let service: TestService;
beforeEach(async () => {
  service = await startTestService(options);
  onTestFinished(() => service.close());
});

/** Adds deliveries, of so many subjects, to the endpoints that meet a condition. */
async function enqueue(
  count: number,
  subjects: number,
  condition = "true",
  state = "pending",
): Promise<void> {
  await service.query(`INSERT INTO webhook_delivery
      (account_id, environment, endpoint_id, event_id, event, subject, payload, state)
    SELECT account_id, environment, id, gen_random_uuid(), 'user_group.updated', 'user_group:' || n % ${subjects}, '{}',
      '${state}'
    FROM webhook_endpoint, generate_series(1, ${count}) AS n WHERE ${condition}`);
}

/** The number of blocks read to find endpoints with due deliveries and to claim some, with the current plan. */
async function blocksOfClaim(endpointId: number): Promise<number> {
  const operator = service.database.of("operator");
  service.statements.length = 0;
  const due = await findDueEndpoints(operator);
  expect(due).toMatchObject([{ endpointId, hasAnswered: false, isProbed: false }]);
  const grants = due.map((endpoint) => ({ endpoint, slots: 4 }));
  const [endpoint] = due;
  if (!endpoint) throw new Error("There is one.");
  const { accountId, environment, dueAt, id, firstPendingId } = endpoint;
  expect(await claimDue(service.database.for(endpoint), grants, 0)).toHaveLength(4);
  const [find = "", claim = ""] = service.statements;
  const search = { endpoint_id: endpointId, slots: 4, due_at: dueAt, id, first_pending_id: firstPendingId };
  return (
    (await blocksOf(find, [])) +
    (await blocksOf(claim, [accountId, environment, 0, JSON.stringify([search])]))
  );
}

async function blocksOf(text: string, values: readonly unknown[]): Promise<number> {
  const [row] = await service.database
    .of("operator")
    .run<{ "QUERY PLAN": { Plan: { "Shared Hit Blocks": number } }[] }>(
      { access: "write", plan: "inIndexOrder", text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}` },
      values,
    );
  return row?.["QUERY PLAN"][0]?.Plan["Shared Hit Blocks"] ?? Number.NaN;
}

test("due deliveries are found as quickly in a long backlog, whatever the table statistics", async () => {
  for (let count = 0; count < 2; count += 1)
    await (await createTenant(service)).listen("http://127.0.0.1:1/hook");
  const [{ id }] = await service.query("SELECT min(id)::integer AS id FROM webhook_endpoint");
  await enqueue(20_000, 5000, "true", "delivered");
  for (const [count, subjects] of [
    [2000, 1000],
    [6000, 4000],
    [22_000, 10_000],
  ] as const) {
    await enqueue(count, subjects, `id = ${id}`);
    expect(await blocksOfClaim(id)).toBeLessThan(MAX_BLOCKS);
    await service.query("VACUUM ANALYZE webhook_delivery");
    expect(await blocksOfClaim(id)).toBeLessThan(MAX_BLOCKS);
  }
});

/** Adds a backlog for one endpoint, in a table that autovacuum does not analyze. */
async function addBacklog(count: number, subjects = count / 2) {
  const receiver = await startReceiver();
  await (await createTenant(service)).listen(receiver.url);
  await service.query("ALTER TABLE webhook_delivery SET (autovacuum_enabled = off)");
  await enqueue(count, subjects);
  /** Delivers at least so many events. @returns the blocks of deliveries and their indexes that were read for each */
  const deliver = async (count: number) => {
    const [from, before, others] = [receiver.received.length, await readBlocks(), await sessions()];
    // Not by more polls on a slow machine: each reads all that was delivered since the old transaction began.
    const webhooks = { ...options.webhooks, times: { pollMs: 600_000 } };
    const sender = await startTestService({ use: service, ...options, webhooks });
    sender.services.webhookDispatcher.start(sender.server.log);
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(from + count);
    await sender.close();
    // Sessions that end have reported all blocks; others do once a second.
    await expect.poll(async () => (await sessions()).filter((pid) => !others.includes(pid))).toEqual([]);
    return ((await readBlocks()) - before) / (receiver.received.length - from);
  };
  return { receiver, deliver };
}

async function readBlocks(): Promise<number> {
  // Those of `enqueue`, which the same session has read.
  await service.query("SELECT pg_stat_force_next_flush()");
  const [{ blocks }] =
    await service.query(`SELECT heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read AS blocks
      FROM pg_statio_user_tables WHERE relname = 'webhook_delivery'`);
  return Number(blocks);
}

async function sessions(): Promise<number[]> {
  const rows: { pid: number }[] = await service.query(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'user-groups/%'",
  );
  return rows.map(({ pid }) => pid);
}

/** Opens a transaction, so that VACUUM removes nothing. */
async function openOldTransaction(): Promise<void> {
  const old = new Client(clientOptions(service.owner));
  await old.connect();
  onTestFinished(() => old.end());
  await old.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM webhook_delivery LIMIT 1");
}

test.each([
  ["", WINDOW, WINDOW],
  [" of one subject, whose deliveries wait for each other,", SUBJECT_WINDOW, 1],
])(
  "a backlog%s costs as many blocks per delivery at its end while an old transaction is open",
  async (_, window, subjects) => {
    const { receiver, deliver } = await addBacklog(2 * window, subjects);
    await service.query("ANALYZE webhook_delivery");
    await openOldTransaction();
    const first = await deliver(window);
    expect(await deliver(2 * window - receiver.received.length)).toBeLessThan(2 * first);
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(2 * window);
    expect(ids).toHaveLength(2 * window);
  },
);

test("a backlog costs few blocks per delivery in a table that was never analyzed", async () => {
  const { deliver } = await addBacklog(20_000);
  expect(await deliver(WINDOW)).toBeLessThan(150);
});

test("a healthy endpoint is served while others of its account and of another one hang", async () => {
  const good = await createTenant(service);
  const other = await createTenant(service);
  const receiver = await startReceiver();
  await good.listen(`${receiver.url}/good`);
  const hanging = await startReceiver(() => new Promise(() => undefined));
  for (const tenant of [good, other]) {
    for (let count = 0; count < HANGING; count += 1) await tenant.listen(`${hanging.url}/hanging`);
    await enqueue(BACKLOG, BACKLOG, `account_id = ${tenant.accountId} AND url LIKE '%/hanging'`);
  }
  service.services.webhookDispatcher.start(service.server.log);
  const full = 2 * HANGING * IN_FLIGHT;
  await expect.poll(() => hanging.received.length).toBe(full);
  await enqueue(EVENTS, EVENTS, "url LIKE '%/good'");
  await expect.poll(() => receiver.received.length).toBe(EVENTS);
  // Behind the others it would have had to wait for the timeouts of many of their requests.
  expect(hanging.received.length).toBeLessThan(4 * full);
});
