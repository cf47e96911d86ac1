import type { AuditFilter } from "../../../src/domain/audit/entry.js";
import type { DataSourceFilter, DataSourceSortField } from "../../../src/domain/data-sources/data-source.js";
import type { PageRequest } from "../../../src/domain/shared/pagination.js";
import { type UserGroupFilter, type UserGroupSortField } from "../../../src/domain/user-groups/list.js";
import type { WebhookDeliveryFilter } from "../../../src/domain/webhooks/webhook.js";
import { AUDIT_LOG } from "../../../src/persistence/audit/entries.js";
import { addUpUsage, countAuditDays, readUsage } from "../../../src/persistence/audit/usage-days.js";
import { DATA_SOURCE_LIST } from "../../../src/persistence/data-sources/queries.js";
import type { Queryable } from "../../../src/persistence/shared/statement.js";
import { TenantDb } from "../../../src/persistence/shared/tenant-db.js";
import { listUserGroups } from "../../../src/persistence/user-groups/list-queries.js";
import { WEBHOOK_DELIVERY_LIST } from "../../../src/persistence/webhooks/deliveries.js";
import type { Stage } from "../compare/workload.js";
import { ENVIRONMENT } from "../compare/world.js";
import { markdownTable } from "../markdown-table.js";
import { connect } from "../postgres.js";

const ORDERS: readonly UserGroupSortField[] = ["teamId", "providedId", "name", "createdAt", "updatedAt"];
const SIZE = 50;
const DAY_MS = 86_400_000;
const FIRST: PageRequest = { size: SIZE, from: "start", after: null, before: null };
const LAST: PageRequest = { ...FIRST, from: "end" };
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);

/** Filters with many, few and no matches. */
const GROUP_FILTERS: Readonly<Record<string, (sourceId: number) => UserGroupFilter>> = {
  none: () => ({}),
  "search, all": () => ({ search: "customer" }),
  "search, no match": () => ({ search: "zzqq" }),
  "nameContains, half": () => ({ nameContains: "a" }),
  "nameContains, no match": () => ({ nameContains: "zzqq" }),
  "nameStartsWith, 6 %": () => ({ nameStartsWith: "customer A" }),
  "nameStartsWith, few": () => ({ nameStartsWith: "customer ABcd" }),
  "nameStartsWith, no match": () => ({ nameStartsWith: "customer zz" }),
  "providedIdStartsWith, 6 %": () => ({ providedIdStartsWith: "customer-a" }),
  "providedIdStartsWith, few": () => ({ providedIdStartsWith: "customer-abcd" }),
  "providedIdStartsWith, no match": () => ({ providedIdStartsWith: "zz" }),
  "dataSource, some": (id) => ({ dataSource: { by: "id", id } }),
  "dataSource, no match": () => ({ dataSource: { by: "providedId", providedId: "none" } }),
  "schemaId, 2/3": () => ({ schemaId: "sales" }),
  "schemaId, no match": () => ({ schemaId: "none" }),
  "hasMapping: true, all": () => ({ hasMapping: true }),
  "hasMapping: false, no match": () => ({ hasMapping: false }),
  "providedIds, no match": () => ({ providedIds: ["none"] }),
  "createdAt, half": () => ({ createdAt: { from: ago(365) } }),
  "createdAt, no match": () => ({ createdAt: { from: ago(-1) } }),
  "updatedAt, half": () => ({ updatedAt: { to: ago(180) } }),
  "updatedAt, no match": () => ({ updatedAt: { from: ago(-1) } }),
  "properties, 1/3": () => ({ properties: '{"region":"EU"}' }),
  "properties, no match": () => ({ properties: '{"x":1}' }),
};
/** Filters of groups that have long names with accents, and no mapping. */
const ACCENTED_FILTERS: typeof GROUP_FILTERS = {
  "search, all": () => ({ search: "epee" }),
  "search, no match": () => ({ search: "zzqqé" }),
  "hasMapping: false, all": () => ({ hasMapping: false }),
  "hasMapping: true, no match": () => ({ hasMapping: true }),
};
const SOURCE_ORDERS: readonly DataSourceSortField[] = ["dataSourceId", "providedId", "name", "createdAt"];
const SOURCE_FILTERS: Readonly<Record<string, DataSourceFilter>> = {
  none: {},
  "providedIds, no match": { providedIds: ["none"] },
  "nameContains, no match": { nameContains: "zzqq" },
};
const AUDIT_FILTERS: Readonly<Record<string, AuditFilter>> = {
  none: {},
  "actorName, many": { actorName: "console" },
  "actorName, few": { actorName: "rare" },
  "actorName, no match": { actorName: "none" },
  "actorName, few; a day": { actorName: "rare", createdAt: { from: ago(1) } },
  "actions, no match": { actions: ["site_config.deleted"] },
  "subjectName, few": { subjectName: "group 7" },
  "requestId, no match": { requestId: "none" },
  "createdAt, no match": { createdAt: { from: ago(-1) } },
};
const USAGE_DAYS = [30, 90];
const DELIVERY_STATES = [undefined, "pending", "delivered", "dead"] as const;

/** Reads pages of the largest account's lists, with each filter and order. @returns tables of the blocks that PostgreSQL reads */
export async function blocksTables({ database, world }: Stage): Promise<readonly string[]> {
  const [{ accountId }] = world.accounts;
  await fill({ database, world });
  const runtime = await connect(database.runtime, 1);
  let blocks = 0;
  const explain: Queryable = {
    async run({ text }, values) {
      blocks += await runtime.transaction({ accountId, environment: ENVIRONMENT }, async (transaction) => {
        const explained = {
          access: "read",
          text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
        } as const;
        const [row] = await transaction.run<{ "QUERY PLAN": [{ Plan: Readonly<Record<string, number>> }] }>(
          explained,
          values,
        );
        const plan = row?.["QUERY PLAN"][0].Plan ?? {};
        return (plan["Shared Hit Blocks"] ?? Number.NaN) + (plan["Shared Read Blocks"] ?? Number.NaN);
      });
      return [];
    },
  };
  const db = new TenantDb({ accountId, environment: ENVIRONMENT }, explain, runtime.orm);
  /** The larger number of those of the first and the last page. */
  const most = async (read: (page: PageRequest) => Promise<unknown>) => {
    const both: number[] = [];
    for (const page of [FIRST, LAST]) {
      blocks = 0;
      await read(page);
      both.push(blocks);
    }
    return Math.max(...both).toLocaleString("en");
  };
  try {
    const [source] = await database.query<{ id: number }>(
      "SELECT min(id) AS id FROM data_source WHERE account_id = $1",
      [accountId],
    );
    const groupRows = async (filters: typeof GROUP_FILTERS) => {
      const rows: string[][] = [];
      for (const [name, filterOf] of Object.entries(filters)) {
        const row = [name];
        for (const field of ORDERS) {
          const order = { field, direction: "ascending" } as const;
          row.push(await most((page) => listUserGroups(db, filterOf(source?.id ?? 0), order, page)));
        }
        rows.push(row);
      }
      return rows;
    };
    const groups = await groupRows(GROUP_FILTERS);
    const sources: string[][] = [];
    for (const [name, filter] of Object.entries(SOURCE_FILTERS)) {
      const row = [name];
      for (const field of SOURCE_ORDERS) {
        const order = { field, direction: "ascending" } as const;
        row.push(await most((page) => DATA_SOURCE_LIST.page(db, filter, order, page)));
      }
      sources.push(row);
    }
    const others: string[][] = [];
    for (const [name, filter] of Object.entries(AUDIT_FILTERS))
      others.push([
        `audit log: ${name}`,
        await most((page) => AUDIT_LOG.page(db, filter, AUDIT_LOG.order.default, page)),
      ]);
    const usage = runtime.for({ accountId, environment: ENVIRONMENT });
    while (await addUpUsage(usage));
    for (const days of USAGE_DAYS) {
      others.push([`usageDays, ${days} days`, await most(() => readUsage(db, ago(days)))]);
      others.push([`auditDays, ${days} days`, await most(() => countAuditDays(db, ago(days)))]);
    }
    const [endpoint] = await database.query<{ id: number }>("SELECT min(id) AS id FROM webhook_endpoint");
    for (const endpointId of [undefined, endpoint?.id ?? 0]) {
      for (const state of DELIVERY_STATES) {
        const filter: WebhookDeliveryFilter = { ...(endpointId && { endpointId }), ...(state && { state }) };
        const name = `deliveries: ${endpointId ? "endpointId" : "all"}, ${state ?? "every state"}`;
        others.push([
          name,
          await most((page) =>
            WEBHOOK_DELIVERY_LIST.page(db, filter, WEBHOOK_DELIVERY_LIST.order.default, page),
          ),
        ]);
      }
    }
    await accent({ database, world });
    const accented = await groupRows(ACCENTED_FILTERS);
    return [
      markdownTable(["blocks read for userGroups, by filter", ...ORDERS], groups),
      markdownTable(["blocks read for groups with long accented names and no mapping", ...ORDERS], accented),
      markdownTable(["blocks read for dataSources, by filter", ...SOURCE_ORDERS], sources),
      markdownTable(["blocks read for", "blocks"], others),
    ];
  } finally {
    await runtime.close();
  }
}

/** Gives the largest account as many audit entries, deliveries and embed sessions as it has groups; a hundredth of the sessions is of today. */
async function fill({ database, world }: Stage): Promise<void> {
  const [{ accountId }] = world.accounts;
  const tenant = `${accountId}, '${ENVIRONMENT}'`;
  const rows = `(SELECT count(*) FROM user_group WHERE account_id = ${accountId} AND environment = '${ENVIRONMENT}')`;
  await database.query(`
    SET session_replication_role = replica;
    INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, request_id, created_at)
      SELECT ${tenant}, CASE WHEN n % 3 = 0 THEN 'user_group.created' ELSE 'user_group.updated' END, 1, 'group ' || n % 10000, '{}',
        CASE WHEN n % 10000 = 0 THEN 'rare' ELSE 'console' END, 'request ' || n, now() - n * interval '1 minute'
      FROM generate_series(1, ${rows}) AS n;
    INSERT INTO embed_session_count (account_id, environment, user_group_id, day, api_key_id, count)
      SELECT account_id, environment, id, (now() AT TIME ZONE 'UTC')::date - (id % 100)::integer, 1, 1
      FROM user_group WHERE account_id = ${accountId} AND environment = '${ENVIRONMENT}';
    INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext)
      SELECT ${tenant}, 'Name', 'https://93.184.216.34/', '{}', '', '' FROM generate_series(1, 20);
    INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload, state)
      SELECT ${tenant}, (SELECT min(id) FROM webhook_endpoint) + n % 20, gen_random_uuid(), 'user_group.updated', 'user_group:1', '{}',
        (CASE WHEN n % 10001 = 0 THEN 'dead' WHEN n % 5003 = 0 THEN 'pending' ELSE 'delivered' END)::webhook_delivery_state
      FROM generate_series(1, ${rows}) AS n;
    SET session_replication_role = origin`);
  for (const table of ["audit_entry", "embed_session_count", "webhook_delivery"])
    await database.query(`VACUUM ANALYZE ${table}`);
}

/** Gives the groups of the largest account long names with accents, and no mapping. */
async function accent({ database, world }: Stage): Promise<void> {
  const [{ accountId }] = world.accounts;
  await database.query(`
    SET session_replication_role = replica;
    DELETE FROM mapping_entry WHERE account_id = ${accountId};
    UPDATE user_group SET name = accented.name, mapped_version = -mapping_version,
        search_hash = hashtext(accented.name || E'\\n' || provided_id), search_text = repeat('epee ', 49) || user_group.id || E'\\n' || provided_id
      FROM (SELECT id, repeat('épée ', 49) || id AS name FROM user_group WHERE account_id = ${accountId}) AS accented
      WHERE account_id = ${accountId} AND user_group.id = accented.id;
    SET session_replication_role = origin`);
  for (const table of ["user_group", "mapping_entry"])
    await database.query(`VACUUM (FULL, ANALYZE) ${table}`);
}
