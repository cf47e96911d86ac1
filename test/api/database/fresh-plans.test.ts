import { beforeAll, beforeEach, expect, test } from "vitest";
import { isOnCitus, skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { nodesOf, type RecordedPlan, recordWrites } from "../../support/postgres/plan-recorder.js";
import { countsOf } from "../../support/postgres/table-counts.js";

const { run, service } = await startGraphql({ poolSize: 1 });
beforeEach((context) => skipOnCitus(context, "plans"));
const TABLES = ["user_group", "mapping_entry", "data_source"];
const GROUPS = 250;
const CALLS = 3;
const UPSERT = `mutation ($input: UpsertUserGroupsInput!) {
  upsertUserGroups(input: $input) { results { isNew } userErrors { code } }
}`;
let plans: RecordedPlan[];

async function upsert(call: number, dataSource: string): Promise<void> {
  const userGroups = Array.from({ length: GROUPS }, (_, index) => ({
    providedId: `group ${call} ${index}`,
    name: `Group ${index}`,
    properties: { dataSource },
    mapping: [
      { schemaId: "first", dataSource },
      { schemaId: dataSource, dataSource: "x" },
    ],
  }));
  const { upsertUserGroups } = await run(UPSERT, { input: { userGroups } });
  expect(upsertUserGroups).toMatchObject({ results: { length: GROUPS }, userErrors: [] });
}

// A database is never analyzed here: its statistics are those of the migrations.
beforeAll(async () => {
  if (isOnCitus()) return;
  for (const table of TABLES) await service.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  for (const providedId of ["sales", "support", "x"])
    await run(
      `mutation { createDataSource(input: { providedId: "${providedId}", name: "N" }) { userErrors { code } } }`,
    );
  plans = recordWrites(service);
  for (let call = 0; call < CALLS; call += 1) await upsert(call, "sales");
  for (let call = 0; call < CALLS; call += 1) await upsert(call, "support");
});

test("bulk upserts into a fresh database find rows by key, not by reading all rows of the account", () => {
  expect(plans.length).toBeGreaterThan(20);
  const nodes = plans.flatMap(({ text, plan }) => nodesOf(plan).map((node) => ({ ...node, text })));
  const ofAccount = nodes
    .filter(({ "Index Name": name }) => TABLES.some((table) => name?.startsWith(table)))
    .filter((node) => !/\b(id|provided_id|user_group_id)\b/.test(node["Index Cond"] ?? ""));
  // Compares each row of one side with each of the other; an environment has at most 20 webhook endpoints.
  const quadratic = nodes.filter(
    (node) =>
      node["Node Type"] === "Nested Loop" &&
      "Join Filter" in node &&
      !node.Plans?.some((side) => side["Relation Name"] === "webhook_endpoint"),
  );
  expect([...ofAccount, ...quadratic]).toEqual([]);
});

test("their foreign keys are checked by primary key", async () => {
  const mapped = async () => (await countsOf(service, "mapping_entry")).inserted;
  await expect.poll(mapped).toBeGreaterThanOrEqual(3 * GROUPS * CALLS);
  // Other indexes begin with the account too: in one of them, each check would read all rows of the account.
  const used: { name: string }[] = await service.query(`SELECT indexrelname AS name FROM pg_stat_user_indexes
    WHERE relname IN ('user_group', 'data_source') AND idx_tup_read > ${GROUPS} ORDER BY name`);
  const names = used.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["data_source_pk", "user_group_pk"]));
  expect(names.filter((name) => !/_(pk|provided_id_uq)$/.test(name))).toEqual([]);
});
