import type { MappingEntry } from "../../domain/user-groups/mapping.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: set-based.

const INSERT = `INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
    SELECT $1, $2, entry.user_group_id, entry.schema_id, entry.data_source_id
    FROM unnest($3::bigint[], $4::text[], $5::bigint[]) AS entry (user_group_id, schema_id, data_source_id)`;

const UPSERT_MANY: Statement = {
  name: "mappings_put",
  access: "write",
  text: `${INSERT}
    ON CONFLICT (account_id, environment, user_group_id, schema_id)
      DO UPDATE SET data_source_id = excluded.data_source_id
      WHERE mapping_entry.data_source_id <> excluded.data_source_id
    RETURNING user_group_id`,
};

// RETURNING: without it, Citus would insert by COPY, which PostgreSQL refuses with row-level security.
const INSERT_MANY: Statement = {
  name: "mappings_insert",
  access: "write",
  text: `${INSERT} RETURNING 1`,
};

const DELETE_OTHERS: Statement = {
  name: "mappings_keep_only",
  access: "write",
  text: `DELETE FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND user_group_id = ANY ($3::bigint[])
      AND NOT EXISTS (
        SELECT FROM unnest($4::bigint[], $5::text[]) AS kept (user_group_id, schema_id)
        WHERE kept.user_group_id = mapping_entry.user_group_id AND kept.schema_id = mapping_entry.schema_id)
    RETURNING user_group_id`,
};

interface ChangedEntry {
  readonly user_group_id: number;
}

/** The new mapping of a group. */
interface NewMapping {
  readonly userGroupId: number;
  readonly entries: readonly MappingEntry[];
  /** Whether the group has just been created and has no mapping yet. */
  readonly isFirst: boolean;
}

/**
 * Replaces the mappings of groups that the transaction has locked or created.
 * @returns the ids of the groups whose mapping has changed
 */
export async function replaceMappings(
  transaction: TenantDb,
  mappings: readonly NewMapping[],
): Promise<ReadonlySet<number>> {
  const changed = new Set<number>();
  const rows = mappings.flatMap(({ userGroupId, entries }) =>
    entries.map((entry) => ({ userGroupId, ...entry })),
  );
  const existing = mappings.filter(({ isFirst }) => !isFirst).map(({ userGroupId }) => userGroupId);
  if (existing.length > 0) {
    const groups = rows.map(({ userGroupId }) => userGroupId);
    const schemas = rows.map(({ schemaId }) => schemaId);
    const values = [existing, groups, schemas];
    for (const { user_group_id: id } of await transaction.run<ChangedEntry>(DELETE_OTHERS, values))
      changed.add(id);
  }
  for (const id of await putMappings(transaction, rows)) changed.add(id);
  return changed;
}

/**
 * Adds entries to the mappings of groups that the transaction has locked; existing schema IDs get the new data sources.
 * @returns the ids of the groups whose mapping has changed
 */
export async function putMappings(
  transaction: TenantDb,
  rows: readonly GroupEntry[],
): Promise<ReadonlySet<number>> {
  if (rows.length === 0) return new Set();
  const changed = await transaction.run<ChangedEntry>(UPSERT_MANY, entryValues(rows));
  return new Set(changed.map(({ user_group_id: id }) => id));
}

/** Inserts the entries of groups that the transaction has created; faster than `putMappings`, as none can exist. */
export async function insertMappings(transaction: TenantDb, rows: readonly GroupEntry[]): Promise<void> {
  if (rows.length > 0) await transaction.run(INSERT_MANY, entryValues(rows));
}

/** A mapping entry with the ID of its group. */
export interface GroupEntry extends MappingEntry {
  readonly userGroupId: number;
}

function entryValues(rows: readonly GroupEntry[]): readonly unknown[] {
  return [
    rows.map(({ userGroupId }) => userGroupId),
    rows.map(({ schemaId }) => schemaId),
    rows.map(({ dataSourceId }) => dataSourceId),
  ];
}
