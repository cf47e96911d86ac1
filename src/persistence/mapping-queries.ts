import type { Tenant } from "../domain/caller.js";
import type { DataSource } from "../domain/data-source.js";
import type { MappedDataSource, MappingEntry } from "../domain/mapping.js";
import type { Queryable, Statement } from "./statement.js";
import { readTime } from "./value-parsers.js";

const BY_GROUPS: Statement = {
  name: "mapping_by_user_groups",
  rows: "text",
  plan: "forValues",
  // With the data sources: a second statement might miss one that has gone in between.
  text: `SELECT user_group_id, schema_id, data_source.id, data_source.provided_id, data_source.name, data_source.created_at
    FROM mapping_entry JOIN data_source
      ON data_source.account_id = mapping_entry.account_id AND data_source.id = mapping_entry.data_source_id
    WHERE mapping_entry.account_id = $1 AND environment = $2 AND user_group_id = ANY ($3::integer[])
    ORDER BY user_group_id, schema_id`,
};

type MappingRow = readonly [
  userGroupId: string,
  schemaId: string,
  id: string,
  providedId: string,
  name: string,
  createdAt: string,
];

const PUT = {
  name: "mapping_put",
  text: `INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
    SELECT $1, $2, $3, entry.schema_id, entry.data_source_id
    FROM unnest($4::text[], $5::integer[]) AS entry (schema_id, data_source_id)
    ON CONFLICT (account_id, environment, user_group_id, schema_id)
      DO UPDATE SET data_source_id = excluded.data_source_id`,
};

const REMOVE = {
  name: "mapping_remove",
  text: `DELETE FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND user_group_id = $3 AND schema_id = $4
    RETURNING schema_id`,
};

const KEEP_ONLY = {
  name: "mapping_keep_only",
  text: `DELETE FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND user_group_id = $3 AND schema_id <> ALL ($4::text[])`,
};

const PUT_MANY = {
  name: "mappings_put",
  text: `INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
    SELECT $1, $2, entry.user_group_id, entry.schema_id, entry.data_source_id
    FROM unnest($3::integer[], $4::text[], $5::integer[]) AS entry (user_group_id, schema_id, data_source_id)
    ON CONFLICT (account_id, environment, user_group_id, schema_id)
      DO UPDATE SET data_source_id = excluded.data_source_id
      WHERE mapping_entry.data_source_id <> excluded.data_source_id`,
};

const INSERT_MANY = {
  name: "mappings_insert",
  text: `INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
    SELECT $1, $2, entry.user_group_id, entry.schema_id, entry.data_source_id
    FROM unnest($3::integer[], $4::text[], $5::integer[]) AS entry (user_group_id, schema_id, data_source_id)`,
};

const KEEP_ONLY_MANY = {
  name: "mappings_keep_only",
  text: `DELETE FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND user_group_id = ANY ($3::integer[])
      AND NOT EXISTS (
        SELECT FROM unnest($4::integer[], $5::text[]) AS kept (user_group_id, schema_id)
        WHERE kept.user_group_id = mapping_entry.user_group_id AND kept.schema_id = mapping_entry.schema_id)`,
};

const COUNT = {
  name: "mapping_count",
  text: `SELECT count(*)::integer AS entries FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND user_group_id = $3`,
};

/** The mapping of each of these groups, ordered by schema id. A group without one has no key in the result. */
export async function findMappings(
  db: Queryable,
  tenant: Tenant,
  userGroupIds: readonly number[],
): Promise<ReadonlyMap<number, readonly MappedDataSource[]>> {
  const rows = await db.run<MappingRow>(BY_GROUPS, [tenant.accountId, tenant.environment, userGroupIds]);
  const sources = new Map<string, DataSource>();
  const mappings = new Map<number, MappedDataSource[]>();
  for (const row of rows) {
    const userGroupId = Number(row[0]);
    const dataSource = sources.get(row[2]) ?? readDataSource(row);
    sources.set(row[2], dataSource);
    const mapping = mappings.get(userGroupId);
    const entry = { schemaId: row[1], dataSource };
    if (mapping) mapping.push(entry);
    else mappings.set(userGroupId, [entry]);
  }
  return mappings;
}

function readDataSource([, , id, providedId, name, createdAt]: MappingRow): DataSource {
  return { id: Number(id), providedId, name, createdAt: readTime(createdAt) };
}

/** Adds entries to a group's mapping; a schema id that is there already gets the new data source. */
export async function putMappingEntries(
  db: Queryable,
  tenant: Tenant,
  userGroupId: number,
  entries: readonly MappingEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await db.run(PUT, [
    tenant.accountId,
    tenant.environment,
    userGroupId,
    entries.map(({ schemaId }) => schemaId),
    entries.map(({ dataSourceId }) => dataSourceId),
  ]);
}

/** Makes these entries the whole mapping of a group whose row the transaction has locked. */
export async function replaceMappingEntries(
  db: Queryable,
  tenant: Tenant,
  userGroupId: number,
  entries: readonly MappingEntry[],
): Promise<void> {
  const schemaIds = entries.map(({ schemaId }) => schemaId);
  await db.run(KEEP_ONLY, [tenant.accountId, tenant.environment, userGroupId, schemaIds]);
  await putMappingEntries(db, tenant, userGroupId, entries);
}

/** What a group's mapping is to be. */
interface NewMapping {
  readonly userGroupId: number;
  readonly entries: readonly MappingEntry[];
  /** Whether the group has just been created, and has no mapping yet. */
  readonly isFirst: boolean;
}

/** Replaces the whole mappings of groups that the transaction has locked or made. */
export async function replaceMappings(
  transaction: Queryable,
  tenant: Tenant,
  mappings: readonly NewMapping[],
): Promise<void> {
  const rows = mappings.flatMap(({ userGroupId, entries }) =>
    entries.map((entry) => ({ userGroupId, ...entry })),
  );
  const before = mappings.filter(({ isFirst }) => !isFirst).map(({ userGroupId }) => userGroupId);
  if (before.length > 0) {
    const groups = rows.map(({ userGroupId }) => userGroupId);
    const schemas = rows.map(({ schemaId }) => schemaId);
    await transaction.run(KEEP_ONLY_MANY, [tenant.accountId, tenant.environment, before, groups, schemas]);
  }
  await putMappings(transaction, tenant, rows);
}

/** Adds entries to the mappings of groups that the transaction has locked; schema ids that are there get the new data sources. */
export async function putMappings(
  transaction: Queryable,
  tenant: Tenant,
  rows: readonly GroupEntry[],
): Promise<void> {
  if (rows.length > 0) await transaction.run(PUT_MANY, entryValues(tenant, rows));
}

/** Gives groups that the transaction has made their first entries, which takes less than to look whether there are any. */
export async function insertMappings(
  transaction: Queryable,
  tenant: Tenant,
  rows: readonly GroupEntry[],
): Promise<void> {
  if (rows.length > 0) await transaction.run(INSERT_MANY, entryValues(tenant, rows));
}

/** An entry, and whose it is. */
export interface GroupEntry extends MappingEntry {
  readonly userGroupId: number;
}

function entryValues(tenant: Tenant, rows: readonly GroupEntry[]): readonly unknown[] {
  return [
    tenant.accountId,
    tenant.environment,
    rows.map(({ userGroupId }) => userGroupId),
    rows.map(({ schemaId }) => schemaId),
    rows.map(({ dataSourceId }) => dataSourceId),
  ];
}

/** Takes one entry out of a group's mapping. @returns whether it was there */
export async function removeMappingEntry(
  db: Queryable,
  tenant: Tenant,
  userGroupId: number,
  schemaId: string,
): Promise<boolean> {
  const rows = await db.run(REMOVE, [tenant.accountId, tenant.environment, userGroupId, schemaId]);
  return rows.length > 0;
}

export async function countMappingEntries(
  db: Queryable,
  tenant: Tenant,
  userGroupId: number,
): Promise<number> {
  const rows = await db.run<{ entries: number }>(COUNT, [tenant.accountId, tenant.environment, userGroupId]);
  return rows[0]?.entries ?? 0;
}
