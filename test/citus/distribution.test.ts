import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  checkDistribution,
  distributionStatus,
  FOREIGN_KEYS,
  planDistribution,
} from "../../src/persistence/database/distribution.js";
import { type CitusCluster, citusPrograms, queryOnce, startCitus } from "../support/citus/cluster.js";
import { distribute, SHARDS, withOwner } from "../support/citus/distribute.js";
import {
  APPLICATION,
  DATABASE,
  OWNER,
  prepareCluster,
  startOn,
} from "../support/citus/distributed-service.js";
import { recordTasks } from "../support/citus/task-counts.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { callRest } from "../support/rest/rest-client.js";
import type { TestService } from "../support/service/test-service.js";
import { validSite } from "../support/site-configs/documents.js";
import { startReceiver } from "../support/webhooks/receiver.js";

const WIDE = 2 ** 31;
let cluster: CitusCluster;
let service: TestService;
let key: string;
const closers: (() => Promise<void>)[] = [];

const owner = () => ({ url: cluster.coordinator.url(DATABASE, OWNER) });
const rest = (method: string, body: object) => callRest(`${service.url}/api/user`, method, key, body);
const graphql = async (query: string) => (await callGraphql(service.url, key, query)).body;
const GET = { user_group_id: "acme", name: "Acme", properties: { a: 1 }, mapping: { s: "sales" } };

describe.skipIf(citusPrograms === undefined)("a Citus cluster", () => {
  beforeAll(async () => {
    if (citusPrograms === undefined) return;
    cluster = await startCitus(citusPrograms);
    closers.unshift(() => cluster.close());
    await prepareCluster(cluster);
    // IDs have 64 bits.
    for (const sequence of ["user_group_team_id", "data_source_id_seq", "api_key_id_seq"])
      await queryOnce(cluster.coordinator.url(DATABASE), `SELECT setval('${sequence}', ${WIDE})`);
    service = await startOn(cluster);
    key = (await (await service.createAccount()).createKey()).secret;
  });
  afterAll(async () => {
    await service?.close();
    for (const close of closers) await close();
  });

  test("distributes a database with data, and continues after an interruption", async () => {
    const before = await rest("GET", GET);
    expect(before).toMatchObject({ status: 200, body: { user_group: { team_id: WIDE + 1 } } });
    await service.close();

    const plan = await withOwner(owner(), (database) => planDistribution(database, SHARDS));
    expect(await distribute(owner(), 4)).toBe(4);
    await withOwner(owner(), async (database) => {
      expect((await distributionStatus(database)).filter(({ type }) => type === "distributed")).toHaveLength(
        1,
      );
      await expect(planDistribution(database, SHARDS + 1)).rejects.toThrow("Use --shards 4");
    });
    expect(await distribute(owner())).toBe(plan.length - 4);
    expect(await distribute(owner())).toBe(0);
    await withOwner(owner(), async (database) => {
      const [account, ...others] = await distributionStatus(database);
      expect(account).toEqual({ table: "account", type: "reference", shards: 1 });
      expect(new Set(others.map(({ type, shards }) => `${type} ${shards}`))).toEqual(
        new Set([`distributed ${SHARDS}`]),
      );
      await checkDistribution(database);
    });

    service = await startOn(cluster);
    key = (await (await service.createAccount()).createKey()).secret;
    const [{ groups, sources }] = await service.query(
      "SELECT (SELECT count(*)::integer FROM user_group) AS groups, (SELECT count(*)::integer FROM data_source) AS sources",
    );
    expect({ groups, sources }).toEqual({ groups: 1, sources: 8 });
  });

  test("has the foreign keys that the migrations create", async () => {
    const rows = await service.query(
      `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
        WHERE contype = 'f' AND confrelid <> 'account'::regclass AND connamespace = 'public'::regnamespace`,
    );
    expect(rows).toHaveLength(FOREIGN_KEYS.length);
    expect(rows).toEqual(expect.arrayContaining([...FOREIGN_KEYS]));
  });

  test("every statement of a request reads or writes one shard", async () => {
    const tasksOf = recordTasks(service.database);
    const receiver = await startReceiver();
    const { body } = await rest("GET", GET);
    const { token } = Object(body).user_group;
    await rest("PUT", { user_group_id: "acme", name: "Renamed", mapping: { s: "support" } });
    const query = "{ viewer { userGroup { name mapping { schemaId } } } }";
    await callRest(
      `${service.url}/graphql`,
      "POST",
      undefined,
      { query },
      { authorization: `Bearer ${token}` },
    );
    for (const query of [
      `{ userGroups(first: 5) { totalCount nodes { name mapping { schemaId dataSource { name } } } } userGroup(by: { providedId: "acme" }) { id } }`,
      `{ dataSources(first: 5) { nodes { name userGroups(first: 2) { nodes { name } } } } apiKeys(first: 5) { nodes { name } } }`,
      `{ auditLog(first: 5) { nodes { action } } webhookEndpoints(first: 5) { nodes { name } } }`,
      `mutation { upsertUserGroups(input: { userGroups: [{ providedId: "b", name: "B" }, { providedId: "acme", name: "A" }] }) { userErrors { code } } }`,
      `mutation { createDataSource(input: { providedId: "x", name: "X" }) { userErrors { code } } }`,
      `mutation { updateDataSource(input: { by: { providedId: "x" }, name: "Y" }) { userErrors { code } } }`,
      `mutation { deleteDataSource(input: { by: { providedId: "x" } }) { userErrors { code } } }`,
      `mutation { createWebhookEndpoint(input: { name: "w", url: "http://127.0.0.1:9/" }) { userErrors { code } } }`,
      `mutation { createWebhookEndpoint(input: { name: "answers", url: "${receiver.url}" }) { userErrors { code } } }`,
      `mutation { updateWebhookEndpoint(input: { id: "V2ViaG9va0VuZHBvaW50OjE", name: "v", enabled: true }) { userErrors { code } } }`,
      `mutation { putSiteConfig(input: { source: { text: ${JSON.stringify(JSON.stringify(validSite))} } }) { userErrors { code } } }`,
    ]) {
      const answer = await graphql(query);
      expect(answer, query).not.toHaveProperty("errors");
      if (query.startsWith("mutation"))
        expect(Object.values(Object(answer).data), query).toEqual([{ userErrors: [] }]);
    }
    const rotated = await callRest(
      `${service.url}/api/user`,
      "POST",
      key,
      { current_token: token },
      { "idempotency-key": "one" },
    );
    expect(rotated.status).toBe(200);
    const current_token = Object(rotated.body).user_group.token;
    expect((await rest("DELETE", { current_token, data_source_provided_id: "support" })).status).toBe(200);
    service.services.webhookDispatcher.start(service.server.log);
    const health = `SELECT bool_or(last_success_at IS NOT NULL) AS "isHealthy", bool_or(consecutive_failures > 0) AS "isFailing"
      FROM webhook_endpoint`;
    await expect.poll(() => service.query(health)).toEqual([{ isHealthy: true, isFailing: true }]);
    const counts = await tasksOf();
    expect(counts.length).toBeGreaterThan(25);
    expect(counts.filter(({ tasks }) => tasks > 1).map(({ statement }) => statement)).toEqual([
      "webhook_endpoints_due",
    ]);
    // Group, mapping, audit log and outbox agree on the last change.
    const [entry] = await service.query(
      "SELECT action, actor_name FROM audit_entry ORDER BY id DESC LIMIT 1",
    );
    expect(entry).toEqual({ action: "user_group.deleted", actor_name: "test" });
    const [delivery] = await service.query(
      "SELECT event, id < 1000000 AS by_coordinator FROM webhook_delivery WHERE event LIKE 'user_group.%' ORDER BY id LIMIT 1",
    );
    expect(delivery).toEqual({ event: "user_group.token_rotated", by_coordinator: true });
  });

  test("row-level security hides all rows on the workers", async () => {
    let tables = 0;
    for (const { url, port } of cluster.workers) {
      const shards = await queryOnce(
        url(DATABASE),
        `SELECT logicalrelid::text || '_' || shardid AS name FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid)
          WHERE nodeport = ${port}`,
      );
      const names = ["user_group", "audit_entry", ...shards.map(({ name }) => name)];
      for (const name of names) {
        const rows = await queryOnce(url(DATABASE, APPLICATION), `SELECT 1 FROM ${name} LIMIT 1`);
        expect(rows, name).toEqual([]);
        tables += 1;
      }
      const [{ forced }] = await queryOnce(
        url(DATABASE),
        `SELECT bool_and(relrowsecurity AND relforcerowsecurity) AS forced FROM pg_class WHERE relname = 'user_group' OR relname ~ '^user_group_[0-9]+$'`,
      );
      expect(forced).toBe(true);
    }
    expect(tables).toBeGreaterThan(40);
    const [{ count }] = await service.query("SELECT count(*)::integer AS count FROM data_source");
    expect(count).toBeGreaterThan(0);
  });
});
