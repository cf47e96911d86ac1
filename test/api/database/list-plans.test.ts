import { isObjectType } from "graphql";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PROBED } from "../../../src/persistence/shared/select-page.js";
import { isOnCitus, skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import {
  CONDITIONS,
  connectionFields,
  type ListCase,
  listCases,
  PARENT_LISTS,
  SCANNING,
  SHORT,
  schema,
} from "../../support/graphql/list-cases.js";
import {
  nodesOf,
  type PlanNode,
  type RecordedPlan,
  recordPlans,
} from "../../support/postgres/plan-recorder.js";

const { account, keys, run, service } = await startGraphql();
beforeEach((context) => skipOnCitus(context, "plans"));

/** Groups of the account; the other accounts in the same tables have several times as many. */
const GROUPS = 10_000;
const NEIGHBOURS = 3;
const PAGE = 10;
/** The number of parents whose lists are read together. */
const PARENTS = 3;
/** Sorts rows that are already limited to pages: those of one page per parent, plus one each. */
const MAX_SORTED = PARENTS * (PAGE + 1);

const OLD_YEAR = "2023-02-01T00:00:00.000Z";

let plans: RecordedPlan[];
/** Filter values by condition that are known once the rows are inserted. */
let inserted: Readonly<Record<string, string>>;

beforeAll(async () => {
  if (isOnCitus()) return;
  const owners = [account];
  for (let count = 0; count < NEIGHBOURS; count += 1) owners.push(await service.createAccount());
  for (const { accountId } of owners) await fill(accountId);
  // An account has few endpoints and templates; the tables have those of all accounts.
  await service.query(`
    SET session_replication_role = replica;
    INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext)
      SELECT 1000000 + n % 1000, 'Customer', 'Name', 'https://93.184.216.34/', '{}', '', '' FROM generate_series(1, 20000) AS n;
    INSERT INTO session_template (account_id, environment, name, description, algorithm, header, claims, lifetime_seconds)
      SELECT 1000000 + n % 1000, 'Customer', 'template-' || n, '', 'ES256', '{}', '{}', 600 FROM generate_series(1, 20000) AS n;
    SET session_replication_role = origin`);
  await service.query("ANALYZE");
  const { webhookEndpoints, userGroups } = await run(
    "{ webhookEndpoints(first: 1) { nodes { id } } userGroups(first: 1) { nodes { id } } }",
    {},
    keys.admin,
  );
  inserted = { endpointId: webhookEndpoints.nodes[0].id, subjectId: userGroups.nodes[0].id };
  plans = recordPlans(service);
});

/** Inserts rows without triggers, together with the rows that triggers would insert. */
async function fill(accountId: number): Promise<void> {
  const tenant = `${accountId}, 'Customer'`;
  const time = (n: string) => `timestamptz '2023-01-01' + ${n} * interval '3 hours'`;
  await service.query(`
    SET session_replication_role = replica;
    INSERT INTO account (name, token_key_id)
      SELECT 'beside ${accountId}, ' || n, 'none' FROM generate_series(1, 1000) AS n;
    INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup,
        properties, created_at, updated_at)
      SELECT ${tenant}, nextval('user_group_team_id'), 'group ' || n, 'Name ' || (n * 7919) % 1000, 'none', '',
        sha256(convert_to(n::text, 'UTF8')), json_build_object('tier', n % 20), ${time("n")}, ${time("(n * 31) % 10000")}
      FROM generate_series(1, ${GROUPS}) AS n;
    INSERT INTO data_source (account_id, environment, provided_id, name, created_at)
      SELECT ${tenant}, 'source ' || n, 'Name ' || (n * 7919) % 1000, ${time("n")} FROM generate_series(1, 2000) AS n;
    INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
      SELECT account_id, environment, id, 'schema ' || n, (
        SELECT min(id) FROM data_source WHERE account_id = ${accountId} AND environment = 'Customer') + (user_group.id * n) % 50
      FROM user_group, generate_series(1, 2) AS n WHERE account_id = ${accountId} AND user_group.id % 50 > 0;
    ${derive(accountId)};
    INSERT INTO user_group_history (account_id, environment, user_group_id, version, name, mapping_version, replaced_by)
      SELECT ${tenant}, (SELECT min(id) FROM user_group WHERE account_id = ${accountId}) + n % 7, n, 'Old', 1, 'test'
      FROM generate_series(1, 7000) AS n;
    INSERT INTO api_key (account_id, environment, scope, name, hash, hint)
      SELECT ${tenant}, 'read', 'many', sha256(convert_to(n::text, 'UTF8')), '' FROM generate_series(1, 500) AS n;
    INSERT INTO site_config (account_id, environment, site, revision, size, updated_at)
      SELECT ${tenant}, 'site ' || n, 40, 2, timestamptz '2024-01-01' + n * interval '3 hours' FROM generate_series(1, 200) AS n;
    INSERT INTO site_config_revision (account_id, environment, site_config_id, revision, text, hash, author)
      SELECT account_id, environment, id, n, '{}', '', 'test' FROM site_config, generate_series(1, 40) AS n
      WHERE account_id = ${accountId};
    INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, request_id, created_at,
        bulk_change_id)
      SELECT ${tenant}, CASE WHEN n % 3500 = 0 THEN 'user_group.token_rotated' WHEN n % 3 = 0 THEN 'user_group.created'
          ELSE 'user_group.updated' END,
        (SELECT min(id) FROM user_group WHERE account_id = ${accountId}) + n % 7,
        CASE n % 4 WHEN 0 THEN 'many' ELSE 'group ' || n % 1000 END, '{}', CASE WHEN n % 50 = 0 THEN 'other' ELSE 'test' END,
        'request ' || n % 1000, ${time("n")},
        CASE WHEN n % 2 = 0 THEN ('7c3a5d5e-0f0b-4f7e-9b59-' || lpad((n % 10 + 3)::text, 12, '0'))::uuid END
      FROM generate_series(1, 10000) AS n;
    INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext)
      SELECT ${tenant}, 'Name', 'https://93.184.216.34/', '{}', '', '' FROM generate_series(1, 20);
    INSERT INTO session_template (account_id, environment, name, description, algorithm, header, claims, lifetime_seconds)
      SELECT ${tenant}, 'template-' || n, '', 'ES256', '{}', '{}', 600 FROM generate_series(1, 50) AS n;
    INSERT INTO bulk_change (account_id, environment, change_id, changed, author_name, fingerprint)
      SELECT ${tenant}, gen_random_uuid(), '{properties}', 'test', '' FROM generate_series(1, 2000);
    INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload, state, last_error)
      SELECT ${tenant}, (SELECT min(id) FROM webhook_endpoint WHERE account_id = ${accountId}) + n % 20, gen_random_uuid(),
        'user_group.updated', 'user_group:1', '{}',
        (CASE WHEN n % 50 = 0 THEN 'dead' WHEN n % 20 = 1 THEN 'pending' ELSE 'delivered' END)::webhook_delivery_state,
        CASE WHEN n % 50 = 0 OR n % 40 = 1 THEN 'The request failed: ECONNREFUSED.' END
      FROM generate_series(1, 10000) AS n;
    SET session_replication_role = origin;`);
}

/** Returns SQL that sets the derived columns of an account's groups, as the service does. */
function derive(accountId: number): string {
  return `UPDATE user_group SET search_hash = hashtext(name || E'\\n' || provided_id),
    mapped_version = CASE WHEN EXISTS (SELECT FROM mapping_entry AS entry WHERE entry.account_id = user_group.account_id
      AND entry.user_group_id = user_group.id) THEN 1 ELSE -1 END WHERE account_id = ${accountId}`;
}

/** Reads a page. @returns its start and end cursors */
async function page(of: ListCase, window: object): Promise<{ startCursor: string; endCursor: string }> {
  const [type = "", field = ""] = of.list.split(".");
  const filter =
    of.filter &&
    Object.fromEntries(Object.entries(of.filter).map(([name, value]) => [name, inserted[name] ?? value]));
  const variableEntries = Object.entries({
    ...window,
    ...(filter && { filter }),
    ...(of.order && { orderBy: of.order }),
  });
  const list = schema.getType(type);
  const args = isObjectType(list) ? (list.getFields()[field]?.args ?? []) : [];
  const typeOf = (name: string) => args.find((argument) => argument.name === name)?.type;
  const variables = variableEntries.map(([name]) => `$${name}: ${typeOf(name)}`).join(", ");
  const passed = variableEntries.map(([name]) => `${name}: $${name}`).join(", ");
  const selection = `${field}(${passed}) { nodes { __typename } pageInfo { startCursor endCursor } }`;
  if (type !== "Query" && !PARENT_LISTS[type])
    throw new Error(`Say in PARENT_LISTS where to find a ${type}.`);
  const selected =
    type === "Query" ? selection : `${PARENT_LISTS[type]}(first: ${PARENTS}) { nodes { ${selection} } }`;
  const data = await run(`query (${variables}) { ${selected} }`, Object.fromEntries(variableEntries));
  const connection = type === "Query" ? data[field] : data[PARENT_LISTS[type] ?? ""].nodes[0][field];
  if (!("after" in window || "before" in window)) expect(connection.nodes.length).toBeGreaterThan(0);
  return connection.pageInfo;
}

/** Finds plan nodes that no list may have: sorting tenant rows, or scanning one of their tables. */
function faultsOf(plan: PlanNode, mayScan: boolean): string[] {
  return nodesOf(plan).flatMap((node) => {
    const { "Node Type": type, "Relation Name": table } = node;
    if (type === "Seq Scan") return [`${type} of ${table}`];
    const sorted = (node.Plans ?? []).reduce(
      (sum, each) => sum + each["Actual Rows"] * each["Actual Loops"],
      0,
    );
    return type.endsWith("Sort") && sorted > MAX_SORTED && !mayScan ? [`${type} of ${sorted} rows`] : [];
  });
}

test("there are lists to explain, and each exception is a condition of one", () => {
  expect(connectionFields().length).toBeGreaterThanOrEqual(9);
  const conditions = new Set(listCases().map(({ condition }) => condition));
  expect(SCANNING.filter((condition) => !conditions.has(condition))).toEqual([]);
  expect(Object.keys(CONDITIONS).filter((condition) => !conditions.has(condition))).toEqual([]);
});

test.each(connectionFields().map(({ type, field }) => `${type}.${field.name}`))(
  "pages of %s come from an index, in both directions, from cursors, with each filter and in each order",
  async (list) => {
    for (const one of listCases().filter((each) => each.list === list)) {
      const first = await page(one, { first: PAGE });
      await page(one, { first: PAGE, after: first.endCursor });
      const last = await page(one, { last: PAGE });
      await page(one, { last: PAGE, before: last.startCursor });
      const mayScan = SHORT.includes(list) || (one.condition !== null && SCANNING.includes(one.condition));
      const recorded = plans.splice(0);
      expect(recorded.length).toBeGreaterThanOrEqual(4);
      const faults = recorded.flatMap(({ text, plan }) =>
        faultsOf(plan, mayScan).map((fault) => ({ fault, text })),
      );
      expect({ ...one, faults }).toEqual({ ...one, faults: [] });
    }
  },
  300_000,
);

test.each(["ASC", "DESC"])(
  "a prefix of external IDs reads matching rows only, ordered by them, %s",
  async (direction) => {
    plans.splice(0);
    const { userGroups } = await run(
      `{ userGroups(first: 50, filter: { providedIdStartsWith: "group 777" }, orderBy: { field: PROVIDED_ID, direction: ${direction} }) {
      totalCount nodes { providedId } } }`,
    );
    expect(userGroups).toMatchObject({ totalCount: 11, nodes: { length: 11 } });
    const recorded = plans.splice(0).filter(({ text }) => text.includes("FROM user_group"));
    expect(recorded).toHaveLength(2);
    for (const { plan } of recorded) {
      const scans = nodesOf(plan).filter((node) => node["Relation Name"] === "user_group");
      expect(scans).toMatchObject([{ "Index Name": "user_group_provided_id_uq", "Actual Rows": 11 }]);
      expect(scans[0]?.["Rows Removed by Filter"] ?? 0).toBe(0);
    }
  },
);

/** Returns the number of blocks that each statement about a table has read, and forgets the statements. */
function blocksOf(table: string): number[] {
  const recorded = plans.splice(0).filter(({ text }) => new RegExp(`FROM ${table}\\b`).test(text));
  return recorded.map(({ plan }) => plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]);
}

/** Reads the first and the last page of groups in every order. @returns the largest number of blocks read for one of them */
async function mostBlocks(filter: object): Promise<number> {
  const orders = listCases().filter(
    ({ list, condition }) => list === "Query.userGroups" && condition === null,
  );
  plans.splice(0);
  for (const one of orders) {
    const pages = await run(
      `query ($filter: UserGroupFilter, $order: UserGroupOrder) {
        first: userGroups(first: 50, filter: $filter, orderBy: $order) { nodes { id } }
        last: userGroups(last: 50, filter: $filter, orderBy: $order) { nodes { id } }
      }`,
      { filter, order: one.order },
    );
    expect(pages.first.nodes.length).toBe(pages.last.nodes.length);
  }
  const blocks = blocksOf("user_group");
  expect(blocks).toHaveLength(2 * orders.length);
  return Math.max(...blocks);
}

test.each([
  { dataSource: { providedId: "source 1999" } },
  { dataSource: { providedId: "none" } },
  { createdAt: { from: "2026-05-30T00:00:00.000Z" } },
  { createdAt: { to: "2023-01-02T00:00:00.000Z" } },
  { updatedAt: { from: "2030-01-01T00:00:00.000Z" } },
  { providedIdStartsWith: "group 777" },
  { providedIdStartsWith: "none" },
  { nameStartsWith: "nAME 777" },
  { nameStartsWith: "name 1x" },
])("few groups are found with few blocks in every order, by %o", async (filter) => {
  expect(await mostBlocks(filter)).toBeLessThan(150);
});

test("pages at the end of the list come from its cursors with few blocks in every order", async () => {
  for (const { order } of listCases().filter(
    ({ list, condition }) => list === "Query.userGroups" && condition === null,
  )) {
    const page = "nodes { id } pageInfo { startCursor }";
    const query = `query ($order: UserGroupOrder, $after: String, $first: Int, $last: Int) {
      userGroups(first: $first, after: $after, last: $last, orderBy: $order) { ${page} } }`;
    const { nodes, pageInfo } = (await run(query, { order, last: 51 })).userGroups;
    plans.splice(0);
    const end = await run(query, { order, first: 50, after: pageInfo.startCursor });
    expect(end.userGroups.nodes).toEqual(nodes.slice(1));
    expect(Math.max(...blocksOf("user_group")), JSON.stringify(order)).toBeLessThan(150);
  }
});

test.each(["other", "nobody"])("the audit log is read with few blocks by actor: %s", async (actorName) => {
  plans.splice(0);
  await run(
    `query ($filter: AuditFilter) {
      first: auditLog(first: 10, filter: $filter) { nodes { id } }
      last: auditLog(last: 10, filter: $filter) { nodes { id } }
    }`,
    { filter: { actorName } },
  );
  const blocks = blocksOf("audit_entry");
  expect(blocks).toHaveLength(2);
  expect(Math.max(...blocks)).toBeLessThan(60);
});

test("mappings and their data sources come from primary keys", async () => {
  plans.splice(0);
  await run(`{ userGroups(first: ${PAGE}) { nodes { mapping { schemaId } } } }`);
  const recorded = plans.splice(0).filter(({ text }) => text.includes("FROM mapping_entry"));
  expect(
    recorded.map(({ plan }) =>
      nodesOf(plan).flatMap((node) =>
        node["Relation Name"] ? [[node["Node Type"], node["Index Name"]]] : [],
      ),
    ),
  ).toEqual([
    [
      ["Index Scan", "mapping_entry_pk"],
      ["Index Scan", "data_source_pk"],
    ],
  ]);
});

describe("a filter without matches, with rows that updates have moved", () => {
  beforeAll(async () => {
    if (isOnCitus()) return;
    const { accountId } = account;
    await service.query(`
      SET session_replication_role = replica;
      INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup)
        SELECT ${accountId}, 'Customer', nextval('user_group_team_id'), 'more ' || n, 'Name ' || n, 'none', '',
          sha256(convert_to('more ' || n, 'UTF8')) FROM generate_series(1, 12000) AS n;
      INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
        SELECT account_id, environment, id, 'schema 1', (SELECT min(id) FROM data_source WHERE account_id = ${accountId})
        FROM user_group WHERE account_id = ${accountId} ON CONFLICT DO NOTHING;
      ${derive(accountId)};
      SET session_replication_role = origin`);
    // Neighbours by ID, and by any other order, end in different blocks.
    for (let part = 0; part < 10; part += 1)
      await service.query(
        `UPDATE user_group SET version = version + 1 WHERE account_id = ${accountId} AND hashint8(id) % 20 = ${part}`,
      );
    await service.query("VACUUM ANALYZE user_group");
  });

  test.each([
    { search: "none" },
    { nameContains: "none" },
    { properties: { tier: 99 } },
    { schemaId: "none" },
    { hasMapping: false, nameContains: "none" },
    { hasMapping: true, nameContains: "none" },
    { createdAt: { from: OLD_YEAR }, nameContains: "none" },
  ])("reads the table about once in every order, by %o", async (filter) => {
    const [table] = await service.query(
      "SELECT relpages AS blocks FROM pg_class WHERE relname = 'user_group'",
    );
    expect(table.blocks).toBeGreaterThan(1000);
    expect(await mostBlocks(filter)).toBeLessThan(1.1 * (table.blocks + PROBED));
  });

  test("the groups without a mapping are found with few blocks in every order, and counted", async () => {
    const unmapped = async () => {
      const { userGroups } = await run(
        "{ userGroups(first: 1, filter: { hasMapping: false }) { totalCount } }",
      );
      expect(Math.max(...blocksOf("user_group"))).toBeLessThan(150);
      return userGroups.totalCount;
    };
    plans.splice(0);
    expect(await unmapped()).toBe(0);
    expect(await mostBlocks({ hasMapping: false })).toBeLessThan(150);
    await service.query(
      `UPDATE user_group SET mapped_version = -1 WHERE account_id = ${account.accountId} AND id IN (
        SELECT id FROM user_group WHERE account_id = ${account.accountId} ORDER BY hashint8(id) LIMIT 20)`,
    );
    expect(await unmapped()).toBe(20);
    expect(await mostBlocks({ hasMapping: false })).toBeLessThan(150);
  });

  test("the groups with a mapping are found by reading the table about once in every order", async () => {
    await service.query(
      `UPDATE user_group SET mapped_version = -1 WHERE account_id = ${account.accountId};
       UPDATE user_group SET mapped_version = 1 WHERE account_id = ${account.accountId} AND provided_id = 'more 20000'`,
    );
    await service.query("VACUUM ANALYZE user_group");
    const [table] = await service.query(
      "SELECT relpages AS blocks FROM pg_class WHERE relname = 'user_group'",
    );
    expect(await mostBlocks({ hasMapping: true })).toBeLessThan(1.1 * (table.blocks + PROBED));
  });
});
