import type { DataSource } from "../../domain/data-sources/data-source.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { readTime } from "../shared/value-parsers.js";

// Raw SQL: hot reads of many groups at once.

const BY_GROUPS: Statement = {
  name: "mapping_by_user_groups",
  isLookup: true,
  rows: "text",
  plan: "forValues",
  // Joined with the data sources: a second statement might miss one that was deleted in between.
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

const DELETE_ENTRY: Statement = {
  name: "mapping_remove",
  access: "write",
  text: `DELETE FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND user_group_id = $3 AND schema_id = $4
    RETURNING schema_id`,
};

const COUNT: Statement = {
  name: "mapping_count",
  access: "read",
  text: `SELECT count(*)::integer AS entries FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND user_group_id = $3`,
};

/** Loads the mappings of groups, ordered by schema ID. Groups without a mapping are absent from the result. */
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

/** Deletes an entry of a group's mapping. @returns whether it existed */
export async function removeMappingEntry(
  db: TenantDb,
  userGroupId: number,
  schemaId: string,
): Promise<boolean> {
  const rows = await db.run(DELETE_ENTRY, [userGroupId, schemaId]);
  return rows.length > 0;
}

export async function countMappingEntries(db: TenantDb, userGroupId: number): Promise<number> {
  const rows = await db.run<{ entries: number }>(COUNT, [userGroupId]);
  return rows[0]?.entries ?? 0;
}
