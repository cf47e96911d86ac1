import type { DataSource } from "../../domain/data-sources/data-source.js";
import type { MappedDataSource, MappingEntry } from "../../domain/user-groups/mapping.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { readTime } from "../shared/value-parsers.js";

const BY_GROUPS: Statement = {
  name: "mapping_by_user_groups",
  rows: "text",
  plan: "forValues",
  // With the data sources: a second statement might miss one that has gone in between.
  access: "read",
  text: `SELECT user_group_id, schema_id, data_source.id, data_source.provided_id, data_source.name, data_source.created_at
    FROM mapping_entry JOIN data_source
      ON data_source.account_id = mapping_entry.account_id AND data_source.environment = mapping_entry.environment
        AND data_source.id = mapping_entry.data_source_id
    WHERE mapping_entry.account_id = $1 AND mapping_entry.environment = $2 AND user_group_id = ANY ($3::integer[])
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

const PUT: Statement = {
  name: "mapping_put",
  access: "write",
  text: `INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
    SELECT $1, $2, $3, entry.schema_id, entry.data_source_id
    FROM unnest($4::text[], $5::integer[]) AS entry (schema_id, data_source_id)
    ON CONFLICT (account_id, environment, user_group_id, schema_id)
      DO UPDATE SET data_source_id = excluded.data_source_id
      WHERE mapping_entry.data_source_id <> excluded.data_source_id
    RETURNING schema_id`,
};

const REMOVE: Statement = {
  name: "mapping_remove",
  access: "write",
  text: `DELETE FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND user_group_id = $3 AND schema_id = $4
    RETURNING schema_id`,
};

const KEEP_ONLY: Statement = {
  name: "mapping_keep_only",
  access: "write",
  text: `DELETE FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND user_group_id = $3 AND schema_id <> ALL ($4::text[])
    RETURNING schema_id`,
};

const COUNT: Statement = {
  name: "mapping_count",
  access: "read",
  text: `SELECT count(*)::integer AS entries FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND user_group_id = $3`,
};

/** The mapping of each of these groups, ordered by schema id. A group without one has no key in the result. */
export async function findMappings(
  db: TenantDb,
  userGroupIds: readonly number[],
): Promise<ReadonlyMap<number, readonly MappedDataSource[]>> {
  const rows = await db.run<MappingRow>(BY_GROUPS, [userGroupIds]);
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

/**
 * Adds entries to a group's mapping; a schema id that is there already gets the new data source.
 * @returns whether this changed anything
 */
export async function putMappingEntries(
  db: TenantDb,
  userGroupId: number,
  entries: readonly MappingEntry[],
): Promise<boolean> {
  if (entries.length === 0) return false;
  const changed = await db.run(PUT, [
    userGroupId,
    entries.map(({ schemaId }) => schemaId),
    entries.map(({ dataSourceId }) => dataSourceId),
  ]);
  return changed.length > 0;
}

/**
 * Makes these entries the whole mapping of a group whose row the transaction has locked.
 * @returns whether this changed anything
 */
export async function replaceMappingEntries(
  db: TenantDb,
  userGroupId: number,
  entries: readonly MappingEntry[],
): Promise<boolean> {
  const schemaIds = entries.map(({ schemaId }) => schemaId);
  const removed = await db.run(KEEP_ONLY, [userGroupId, schemaIds]);
  const put = await putMappingEntries(db, userGroupId, entries);
  return put || removed.length > 0;
}

/** Takes one entry out of a group's mapping. @returns whether it was there */
export async function removeMappingEntry(
  db: TenantDb,
  userGroupId: number,
  schemaId: string,
): Promise<boolean> {
  const rows = await db.run(REMOVE, [userGroupId, schemaId]);
  return rows.length > 0;
}

export async function countMappingEntries(db: TenantDb, userGroupId: number): Promise<number> {
  const rows = await db.run<{ entries: number }>(COUNT, [userGroupId]);
  return rows[0]?.entries ?? 0;
}
