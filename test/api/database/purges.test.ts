import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readFromIndex } from "../../../src/persistence/shared/purge-queries.js";
import { createPurgeList } from "../../../src/services/purge-list.js";
import { type Purge, Purges } from "../../../src/services/shared/purges.js";
import { Metrics } from "../../../src/telemetry/metrics.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";
import { createTenant, type WebhookTenant } from "../../support/webhooks/tenant.js";

const BATCH = 500;
const PENDING_DAYS = 7;
const OPTIONS = { batchSize: BATCH, pauseMs: 0, intervalMs: 3_600_000, retryMs: 20 };

let service: TestService;
let tenant: WebhookTenant;
let metrics: Metrics;
let purges: Purges;
beforeAll(async () => {
  service = await startTestService({ webhooks: { allowPrivate: true } });
});
afterAll(() => service.close());
beforeEach(async () => {
  tenant = await createTenant(service);
  metrics = new Metrics();
  purges = new Purges(list(), metrics, OPTIONS);
});

function list(): Purge[] {
  return createPurgeList(service.database, PENDING_DAYS * 86_400_000);
}

async function run(name: string): Promise<void> {
  const purge = list().find((one) => one.name === name);
  if (!purge) throw new Error(`There is no purge ${name}.`);
  await purges.run(purge);
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

  test("are deleted 30 days after they finish, in batches until none is left", async () => {
    await add(2 * BATCH + 1, "delivered", 31);
    await add(3, "dead", 31);
    await add(5, "delivered", 29);
    await add(7, "pending", 31);
    service.statements.length = 0;
    await run("webhook_deliveries");
    expect(await states()).toEqual({ delivered: 5, pending: 7 });
    expect(service.statements.filter((text) => text.includes("DELETE"))).toHaveLength(3);
    expect(metrics.purges.of("webhook_deliveries")).toMatchObject({
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
    await run("pending_webhook_deliveries");
    expect(await states()).toEqual({ dead: BATCH, pending: 2, delivered: 1 });
    const [dead] = await tenant.deliveries({ state: "DEAD" });
    expect(dead).toMatchObject({
      lastError: "The delivery expired before it could be sent.",
      nextAttemptAt: null,
    });
    // It waits from now on.
    await tenant.replay(dead.id);
    await run("pending_webhook_deliveries");
    expect(await states()).toEqual({ dead: BATCH - 1, pending: 3, delivered: 1 });
  });

  test("are purged using indexes, also by concurrent processes", async () => {
    await add(10_000, "delivered", 1);
    await add(4 * BATCH, "delivered", 31);
    await service.query("ANALYZE webhook_delivery");
    service.statements.length = 0;
    const others = [1, 2, 3].map(() => new Purges(list(), new Metrics(), OPTIONS));
    const [purge] = list();
    if (!purge) throw new Error("There are purges.");
    await Promise.all(others.map((other) => other.run(purge)));
    expect(await states()).toEqual({ delivered: 10_000 });
    const texts = new Set(service.statements.filter((text) => text.includes("created_at")));
    expect(texts.size).toBe(2);
    for (const text of texts) {
      const values = text.includes("$2") ? [0, BATCH] : [0];
      const rows = await service.database.transaction("operator", async (transaction) => {
        await readFromIndex(transaction);
        return transaction.run<{ "QUERY PLAN": string }>(
          { access: "write", text: `EXPLAIN ${text}` },
          values,
        );
      });
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toContain("webhook_delivery_created_at_ix");
      expect(plan).not.toMatch(/Seq Scan|Sort/);
    }
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
      webhookEndpoints: { totalCount: 1, nodes: [{ name: "receiver" }] },
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

    await run("deleted_webhook_endpoints");
    expect(await states()).toEqual({ delivered: 2, pending: 1 });
    const left = await service.query("SELECT id FROM webhook_endpoint WHERE account_id = $1", [
      tenant.accountId,
    ]);
    expect(left).toHaveLength(1);
    const log =
      "{ auditLog(filter: { actions: [WEBHOOK_ENDPOINT_DELETED] }) { nodes { actorName subjectId } } }";
    expect((await tenant.run(log)).auditLog.nodes).toEqual([{ actorName: "test", subjectId: id }]);
    expect(metrics.purges.of("deleted_webhook_endpoints")).toMatchObject({
      rows: 2 * BATCH + 1,
      backlogSeconds: 0,
    });
  });
});

describe("a purge", () => {
  test("that fails is retried until it succeeds, and logged once", async () => {
    let calls = 0;
    const purge: Purge = {
      name: "failing",
      backlogSeconds: async () => 5,
      async removeBatch() {
        calls += 1;
        if (calls <= 3) throw new Error("unreachable");
        return 0;
      },
    };
    const lines: unknown[] = [];
    const purges = new Purges([purge], metrics, OPTIONS);
    purges.start({ warn: (details, message) => lines.push({ ...details, message }) });
    await expect.poll(() => metrics.purges.of("failing").succeededAt).toBeDefined();
    await purges.stop();
    expect(lines).toEqual([
      { purge: "failing", err: expect.any(Error), message: "purge failed and will be retried" },
      { purge: "failing", failures: 3, message: "purge recovered" },
    ]);
    expect(metrics.purges.of("failing")).toMatchObject({ rows: 0, failures: 3, backlogSeconds: 5 });
  });

  test("stops between batches, and records success only when complete", async () => {
    let calls = 0;
    let stopped: Promise<void> | undefined;
    const purge: Purge = {
      name: "long",
      backlogSeconds: async () => 5,
      async removeBatch(limit) {
        calls += 1;
        if (calls === 3) stopped = purges.stop();
        return limit;
      },
    };
    const purges = new Purges([purge], metrics, OPTIONS);
    purges.start({ warn: (details) => expect(details).toBeUndefined() });
    await expect.poll(() => calls).toBe(3);
    await stopped;
    expect(calls).toBe(3);
    expect(metrics.purges.of("long")).toMatchObject({ rows: 3 * BATCH, succeededAt: undefined });
  });
});
