import type { MappingEntry, StoredMapping } from "../../domain/user-groups/mapping.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: many rows in one statement, which every write of a mapping runs.

const PUT: Statement = {
  name: "mappings_put",
  access: "write",
  // RETURNING: without it, Citus would insert by COPY, which PostgreSQL refuses with row-level security.
  text: `INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
    SELECT $1, $2, entry.user_group_id, entry.schema_id, entry.data_source_id
    FROM unnest($3::bigint[], $4::text[], $5::bigint[]) AS entry (user_group_id, schema_id, data_source_id)
    ON CONFLICT (account_id, environment, user_group_id, schema_id) DO UPDATE SET data_source_id = excluded.data_source_id
    RETURNING 1`,
};

const REMOVE: Statement = {
  name: "mappings_remove",
  access: "write",
  text: `DELETE FROM mapping_entry USING unnest($3::bigint[], $4::text[]) AS gone (id, schema)
    WHERE account_id = $1 AND environment = $2 AND user_group_id = gone.id AND schema_id = gone.schema`,
};

const FIND: Statement = {
  name: "mapping_entries",
  access: "read",
  text: `SELECT user_group_id AS "userGroupId", schema_id AS "schemaId", data_source_id AS "dataSourceId"
    FROM mapping_entry WHERE account_id = $1 AND environment = $2 AND user_group_id = ANY ($3::bigint[])
    ORDER BY user_group_id, schema_id`,
};

/** A mapping entry with the ID of its group. */
interface GroupEntry extends MappingEntry {
  readonly userGroupId: number;
}

/** Returns the new mapping of a group for its current one. */
export type Remap = (former: StoredMapping) => StoredMapping;

/** A mapping whose entries have changed. */
export interface Remapped {
  readonly former: StoredMapping;
  /** Whether it has entries now. */
  readonly isMapped: boolean;
}

/**
 * Replaces the mappings of groups that the transaction has locked or created.
 * @returns the groups whose mapping has changed, by ID
 */
export async function replaceMappings(
  transaction: TenantDb,
  changes: ReadonlyMap<number, Remap>,
): Promise<ReadonlyMap<number, Remapped>> {
  const formers = await findStoredMappings(transaction, [...changes.keys()]);
  const mappings = [...formers].map(([id, former]) => [id, changes.get(id)?.(former) ?? former] as const);
  return writeMappings(transaction, formers, new Map(mappings));
}

/** Reads the mappings of groups that the transaction has locked or created; those without entries are empty. */
export async function findStoredMappings(
  transaction: TenantDb,
  userGroupIds: readonly number[],
): Promise<ReadonlyMap<number, StoredMapping>> {
  const mappings = new Map(userGroupIds.map((id) => [id, new Map<string, number>()]));
  if (mappings.size === 0) return mappings;
  const rows = await transaction.run<GroupEntry>(FIND, [userGroupIds]);
  for (const { userGroupId, schemaId, dataSourceId } of rows)
    mappings.get(userGroupId)?.set(schemaId, dataSourceId);
  return mappings;
}

/**
 * Writes the differences between the current mappings of groups and new ones.
 * @param formers as read by `findStoredMappings`
 * @returns like `replaceMappings`
 */
export async function writeMappings(
  transaction: TenantDb,
  formers: ReadonlyMap<number, StoredMapping>,
  mappings: ReadonlyMap<number, StoredMapping>,
): Promise<ReadonlyMap<number, Remapped>> {
  const put: GroupEntry[] = [];
  const removed: GroupEntry[] = [];
  for (const [userGroupId, mapping] of mappings) {
    const former = formers.get(userGroupId) ?? new Map<string, number>();
    for (const [schemaId, dataSourceId] of mapping) {
      if (former.get(schemaId) !== dataSourceId) put.push({ userGroupId, schemaId, dataSourceId });
    }
    for (const [schemaId, dataSourceId] of former) {
      if (!mapping.has(schemaId)) removed.push({ userGroupId, schemaId, dataSourceId });
    }
  }
  if (removed.length > 0) await transaction.run(REMOVE, entryValues(removed).slice(0, 2));
  if (put.length > 0) await transaction.run(PUT, entryValues(put));
  const changed = new Set([...removed, ...put].map(({ userGroupId }) => userGroupId));
  return new Map(
    [...formers].flatMap(([id, former]) =>
      changed.has(id) ? [[id, { former, isMapped: mappings.get(id)?.size !== 0 }] as const] : [],
    ),
  );
}

function entryValues(rows: readonly GroupEntry[]): readonly (readonly unknown[])[] {
  return [
    rows.map(({ userGroupId }) => userGroupId),
    rows.map(({ schemaId }) => schemaId),
    rows.map(({ dataSourceId }) => dataSourceId),
  ];
}
