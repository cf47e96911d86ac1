import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { DEFAULT_RETENTION } from "../../../src/domain/shared/retention.js";
import { type Purge, tryPurgeLock } from "../../../src/persistence/shared/purge-queries.js";
import { purgeList } from "../../../src/persistence/transfer/purge-list.js";
import { PurgeJob } from "../../../src/services/transfer/purge-job.js";
import { Metrics } from "../../../src/telemetry/metrics.js";
import { metricValue } from "../../support/service/metric-samples.js";
import { startService } from "../../support/service/test-service.js";
import { createTenant, type WebhookTenant } from "../../support/webhooks/tenant.js";

const BATCH = 500;
const PENDING_DAYS = 7;
const OPTIONS = { batchSize: BATCH, pauseMs: 0, intervalMs: 3_600_000, retryMs: 20 };
const vault = new TokenVault([randomBytes(32)]);

const service = await startService({ webhooks: { allowPrivate: true } });
let tenant: WebhookTenant;
let metrics: Metrics;
let job: PurgeJob;
beforeEach(async () => {
  tenant = await createTenant(service);
  metrics = new Metrics();
  job = new PurgeJob(service.database, purgeList(vault, DEFAULT_RETENTION), metrics, OPTIONS);
});

/** What the metrics report of a purge. */
async function statsOf(purge: string) {
  const { purgedRows, purgeFailures, lastPurges, purgeBacklogs } = metrics;
  return {
    rows: await metricValue(purgedRows, { purge }),
    failures: await metricValue(purgeFailures, { purge }),
    succeededAt: await metricValue(lastPurges, { purge }),
    backlogSeconds: await metricValue(purgeBacklogs, { purge }),
  };
}

async function add(count: number, state: string, days: number, endpoint = "min"): Promise<void> {
  await service.query(
    `INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload, state,
        created_at, queued_at)
      SELECT account_id, 'Customer', ${endpoint}(id), gen_random_uuid(), 'user_group.updated', 'user_group:1', '{}',
        '${state}', now() - $2 * interval '1 day', now() - $2 * interval '1 day'
      FROM webhook_endpoint, generate_series(1, $3) AS n WHERE account_id = $1 GROUP BY account_id, n`,
    [tenant.accountId, days, count],
  );
}

/** The tenant's deliveries by state. */
async function states(): Promise<Record<string, number>> {
  const rows = await service.query(
    "SELECT state, count(*)::integer AS count FROM webhook_delivery WHERE account_id = $1 GROUP BY state",
    [tenant.accountId],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

describe("deliveries", () => {
  beforeEach(() => tenant.listen("http://127.0.0.1:1/hook"));

  test("are deleted 30 days after they were created, in batches until none is left", async () => {
    await add(2 * BATCH + 1, "delivered", 31);
    await add(3, "dead", 31);
    await add(5, "delivered", 29);
    await add(7, "pending", PENDING_DAYS - 1);
    expect((await job.count()).get("webhook_deliveries")).toBe(2 * BATCH + 4);
    service.statements.length = 0;
    expect((await job.run())?.get("webhook_deliveries")).toBe(2 * BATCH + 4);
    expect(await states()).toEqual({ delivered: 5, pending: 7 });
    const batches = service.statements.filter((text) => text.includes("DELETE FROM webhook_delivery"));
    expect(batches).toHaveLength(3);
    expect(await statsOf("webhook_deliveries")).toEqual({
      rows: 2 * BATCH + 4,
      failures: 0,
      succeededAt: expect.closeTo(Date.now() / 1000, -1),
      backlogSeconds: 0,
    });
  });

  test("are dead after waiting too long, also for disabled endpoints, and can be replayed", async () => {
    await service.query("UPDATE webhook_endpoint SET disabled_at = now() WHERE account_id = $1", [
      tenant.accountId,
    ]);
    await add(BATCH, "pending", PENDING_DAYS + 1);
    await add(2, "pending", PENDING_DAYS - 1);
    await add(1, "delivered", PENDING_DAYS + 1);
    await job.run();
    expect(await states()).toEqual({ dead: BATCH, pending: 2, delivered: 1 });
    const [dead] = await tenant.deliveries({ state: "DEAD" });
    expect(dead).toMatchObject({
      lastError: "The delivery expired before it could be sent.",
      nextAttemptAt: null,
    });
    // It waits from now on.
    await tenant.replay(dead.id);
    await job.run();
    expect(await states()).toEqual({ dead: BATCH - 1, pending: 3, delivered: 1 });
  });

  test("skip locked rows, which the next run deletes", async () => {
    await add(BATCH + 1, "delivered", 31);
    const scope = { accountId: tenant.accountId, environment: "Customer" } as const;
    const lock =
      "SELECT id FROM webhook_delivery WHERE account_id = $1 AND environment = $2 ORDER BY id LIMIT 1 FOR UPDATE";
    await service.database.for(scope).transaction(async (transaction) => {
      await transaction.run({ access: "write", text: lock }, []);
      expect((await job.run())?.get("webhook_deliveries")).toBe(BATCH);
    });
    expect((await job.run())?.get("webhook_deliveries")).toBe(1);
  });
});

describe("a deleted endpoint", () => {
  test("disappears immediately with its deliveries; rows are deleted in batches, its own last", async () => {
    await tenant.listen("http://127.0.0.1:1/kept");
    const { id } = await tenant.listen("http://127.0.0.1:1/deleted");
    await add(2, "delivered", 1);
    await add(2 * BATCH, "delivered", 1, "max");
    await add(1, "pending", 1, "max");
    const [last] = (await tenant.deliveries()).slice(-1);
    const remove =
      "mutation ($id: ID!) { deleteWebhookEndpoint(input: { id: $id }) { userErrors { code } } }";
    expect(await tenant.run(remove, { id })).toEqual({ deleteWebhookEndpoint: { userErrors: [] } });
    expect(await states()).toEqual({ delivered: 2 * BATCH + 2, pending: 1 });

    expect(await tenant.run("{ webhookEndpoints { totalCount nodes { name } } }")).toEqual({
      webhookEndpoints: { totalCount: 1, nodes: [{ name: expect.stringMatching(/^receiver \d+$/) }] },
    });
    expect(await tenant.deliveries()).toHaveLength(2);
    expect(await tenant.run("{ webhookDeliveries { totalCount } }")).toEqual({
      webhookDeliveries: { totalCount: 2 },
    });
    const nodes = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    expect(await tenant.run(nodes, { ids: [id, last.id] })).toEqual({ nodes: [null, null] });
    expect((await tenant.replay(last.id)).userErrors).toMatchObject([{ code: "WEBHOOK_DELIVERY_NOT_FOUND" }]);
    await tenant.createGroup("acme");
    expect(await tenant.deliveries()).toHaveLength(3);

    expect((await job.count()).get("deleted_webhook_endpoints")).toBe(2 * BATCH + 2);
    expect((await job.run())?.get("deleted_webhook_endpoints")).toBe(2 * BATCH + 2);
    expect(await states()).toEqual({ delivered: 2, pending: 1 });
    const left = await service.query("SELECT id FROM webhook_endpoint WHERE account_id = $1", [
      tenant.accountId,
    ]);
    expect(left).toHaveLength(1);
    const log =
      "{ auditLog(filter: { actions: [WEBHOOK_ENDPOINT_DELETED] }) { nodes { actorName subjectId } } }";
    expect((await tenant.run(log)).auditLog.nodes).toEqual([{ actorName: "test", subjectId: id }]);
  });
});

describe("the job", () => {
  /** A purge of the rows of data sources, of which each tenant has some, that changes none. */
  const scripted = (name: string, change: NonNullable<Purge["change"]>): Purge => ({
    name,
    table: "data_source",
    time: "created_at",
    maxAgeMs: 0,
    change,
  });
  const create = (...list: Purge[]) => new PurgeJob(service.database, list, metrics, OPTIONS);

  test("repeats a run in which a purge failed, logs it once, and runs the other purges", async () => {
    let calls = 0;
    const failing = scripted("failing", async () => {
      calls += 1;
      if (calls <= 3) throw new Error("a lock");
      return 0;
    });
    const lines: object[] = [];
    const add = (details: object, message: string) => lines.push({ ...details, message });
    const repeated = create(
      failing,
      scripted("working", async () => 1),
    );
    repeated.start({ info: add, warn: add });
    await expect.poll(async () => (await statsOf("failing")).succeededAt).toBeDefined();
    await repeated.stop();
    expect(lines).toEqual([
      { err: expect.any(AggregateError), message: "purge failed and will be retried" },
      { rows: { working: expect.any(Number) }, message: "purged" },
      { failures: 3, message: "purge recovered" },
    ]);
    expect(await statsOf("failing")).toMatchObject({ rows: 0, failures: 3, backlogSeconds: 0 });
    expect((await statsOf("working")).rows).toBeGreaterThan(3);
  });

  test("removes nothing while another process removes rows, and leaves the backlog to its metrics", async () => {
    const purge = create(scripted("waiting", async () => 1));
    await service.database.transaction("operator", async (other) => {
      expect(await tryPurgeLock(other)).toBe(true);
      expect(await purge.run()).toBeNull();
      // Counting waits for nobody.
      expect((await purge.count()).get("waiting")).toBeGreaterThan(0);
    });
    expect(await statsOf("waiting")).toMatchObject({ rows: 0, backlogSeconds: undefined });
    expect((await purge.run())?.get("waiting")).toBeGreaterThan(0);
  });

  test("stops between batches, and records success only when complete", async () => {
    let calls = 0;
    let stopped: Promise<void> | undefined;
    const stopping = create(
      scripted("endless", async (_transaction, _accountId, limit) => {
        calls += 1;
        if (calls === 3) stopped = stopping.stop();
        return limit;
      }),
    );
    stopping.start({ info: () => undefined, warn: () => undefined });
    await expect.poll(() => calls).toBe(3);
    await stopped;
    expect(calls).toBe(3);
    expect(await statsOf("endless")).toMatchObject({ rows: 3 * BATCH, succeededAt: undefined });
    expect(await job.run()).not.toBeNull();
  });
});
