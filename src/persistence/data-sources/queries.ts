import { Any } from "typeorm";
import {
  DATA_SOURCE_ORDER,
  type DataSource,
  type DataSourceFilter,
  type DataSourceSortField,
} from "../../domain/data-sources/data-source.js";
import { recorded } from "../shared/audit-recording.js";
import { escapeLike } from "../shared/keyset.js";
import { defineList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import { TENANT_COLUMNS, tableOf } from "../shared/table.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { DataSourceEntity, toDataSource } from "./entity.js";

// Raw SQL for the lists, which are keyset pages, and for the lock that every write of a mapping takes.

/** Maximum user groups whose subscribers are notified one by one when a data source changes. */
const MAX_NOTIFIED = 1000;

export const DATA_SOURCES = tableOf(DataSourceEntity, TENANT_COLUMNS);
const COLUMNS = DATA_SOURCES.columns;

/** Data sources. */
export const DATA_SOURCE_LIST = defineList<DataSource, DataSource, DataSourceFilter, DataSourceSortField>({
  table: DATA_SOURCES,
  order: DATA_SOURCE_ORDER,
  toItem: (row) => row,
  conditions: ({ providedIds, nameContains }, values) => [
    providedIds && `provided_id = ANY (${values.add(providedIds)}::text[])`,
    nameContains !== undefined &&
      `name COLLATE "default" ILIKE ${values.add(`%${escapeLike(nameContains)}%`)}`,
  ],
  isPrepared: true,
  readsUsed: true,
});

const BY_REFERENCES_LOCKED: Statement = {
  name: "data_sources_by_references_locked",
  // The lock prevents the deletion of a data source until the mapping that references it is committed. A fixed order of locking avoids
  // deadlocks.
  access: "write",
  text: `SELECT ${COLUMNS} FROM data_source
    WHERE account_id = $1 AND environment = $2 AND (provided_id = ANY ($3::text[]) OR id = ANY ($4::bigint[]))
    ORDER BY id FOR KEY SHARE`,
};

const EVENT = { subjectName: "provided_id" } as const;

const INSERT: Statement = {
  name: "data_source_insert",
  access: "write",
  ...recorded(
    `INSERT INTO data_source (account_id, environment, provided_id, name) VALUES ($1, $2, $3, $4) RETURNING *`,
    { ...EVENT, action: "'data_source.created'" },
    COLUMNS,
  ),
};

const UPDATE: Statement = {
  name: "data_source_update",
  access: "write",
  ...recorded(
    `UPDATE data_source SET provided_id = $4, name = $5
    FROM (SELECT provided_id AS old_provided_id, name AS old_name FROM data_source
      WHERE account_id = $1 AND environment = $2 AND id = $3) AS old
    WHERE account_id = $1 AND environment = $2 AND id = $3 RETURNING data_source.*, old_provided_id, old_name`,
    {
      ...EVENT,
      action: "'data_source.updated'",
      changed: `array_remove(ARRAY[CASE WHEN provided_id <> old_provided_id THEN 'providedId' END,
        CASE WHEN name <> old_name THEN 'name' END], NULL)`,
    },
    COLUMNS,
  ),
};

const DELETE: Statement = {
  name: "data_source_delete",
  access: "write",
  ...recorded(
    "DELETE FROM data_source WHERE account_id = $1 AND environment = $2 AND id = $3 RETURNING *",
    { ...EVENT, action: "'data_source.deleted'" },
    "id",
  ),
};

const MAPPED_BY: Statement = {
  name: "data_source_mapped_by",
  access: "read",
  text: `SELECT DISTINCT user_group_id AS id FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND data_source_id = $3 LIMIT $4`,
};

/** @throws the driver's error for a taken external ID */
export async function insertDataSource(db: TenantDb, providedId: string, name: string): Promise<DataSource> {
  const [created] = await db.run<DataSource>(INSERT, [providedId, name]);
  if (!created) throw new Error("PostgreSQL did not return the new data source.");
  return created;
}

/**
 * Updates a data source that the transaction has locked.
 * @returns the IDs of the user groups that map it; a single null for more than can be notified one by one
 * @throws the driver's error for a taken external ID
 */
export async function updateDataSource(
  transaction: TenantDb,
  { id, providedId, name }: Pick<DataSource, "id" | "providedId" | "name">,
): Promise<readonly (number | null)[]> {
  await transaction.run(UPDATE, [id, providedId, name]);
  const groups = await transaction.run<{ id: number }>(MAPPED_BY, [id, MAX_NOTIFIED + 1]);
  return groups.length > MAX_NOTIFIED ? [null] : groups.map((group) => group.id);
}

/** Deletes a data source that the transaction has locked. @throws the driver's error while a mapping references it */
export async function deleteDataSource(transaction: TenantDb, id: number): Promise<void> {
  await transaction.run(DELETE, [id]);
}

/** Finds the tenant's data sources by external ID, in no particular order. */
export async function findDataSourcesByProvidedIds(
  db: TenantDb,
  providedIds: readonly string[],
): Promise<DataSource[]> {
  const where = { ...db.key, providedId: Any([...providedIds]) };
  return (await db.manager("read", "data_sources").findBy(DataSourceEntity, where)).map(toDataSource);
}

/** Loads the data sources in either list and locks them against deletion until the transaction ends. */
export async function lockDataSources(
  transaction: TenantDb,
  providedIds: readonly string[],
  ids: readonly number[],
): Promise<DataSource[]> {
  return transaction.run<DataSource>(BY_REFERENCES_LOCKED, [providedIds, ids]);
}
