import { Any } from "typeorm";
import { CHANGED_FIELDS, differingFields } from "../../domain/audit/entry.js";
import {
  DATA_SOURCE_ORDER,
  type DataSource,
  type DataSourceFilter,
  type DataSourceSortField,
} from "../../domain/data-sources/data-source.js";
import { insertEntity } from "../shared/entity-manager.js";
import { escapeLike } from "../shared/keyset.js";
import { record } from "../shared/record.js";
import { defineList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import { TENANT_COLUMNS, tableOf } from "../shared/table.js";
import type { TenantDb, TenantTransaction } from "../shared/tenant-db.js";
import { DataSourceEntity, toDataSource } from "./entity.js";

// Raw SQL for the list, which is a keyset page, for the lock that every write of a mapping takes, and for mapping entries, whose entity is in
// a later folder.

/** Maximum user groups whose subscribers are notified one by one when a data source changes. */
const MAX_NOTIFIED = 1000;

export const DATA_SOURCES = tableOf(DataSourceEntity, TENANT_COLUMNS);
type DataSourceFields = Pick<DataSource, "providedId" | "name">;

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
  text: `SELECT ${DATA_SOURCES.columns} FROM data_source
    WHERE account_id = $1 AND environment = $2 AND (provided_id = ANY ($3::text[]) OR id = ANY ($4::bigint[]))
    ORDER BY id FOR KEY SHARE`,
};

const MAPPED_BY: Statement = {
  name: "data_source_mapped_by",
  access: "read",
  text: `SELECT DISTINCT user_group_id AS id FROM mapping_entry
    WHERE account_id = $1 AND environment = $2 AND data_source_id = $3 LIMIT $4`,
};

/** @throws the driver's error for a taken external ID */
export async function insertDataSource(
  transaction: TenantTransaction,
  { providedId, name }: DataSourceFields,
): Promise<DataSource> {
  const manager = transaction.manager("write", "data_source_insert");
  const source = await insertEntity(manager, DataSourceEntity, { ...transaction.key, providedId, name });
  const subject = { subjectId: source.id, subjectName: providedId };
  await record(transaction, { action: "data_source.created", ...subject });
  return toDataSource(source);
}

/**
 * Updates a data source that the transaction has locked, if fields differ.
 * @returns the data source, and the IDs of the user groups that map it; a single null for more than can be notified one by one
 * @throws the driver's error for a taken external ID
 */
export async function updateDataSource(
  transaction: TenantTransaction,
  former: DataSource,
  { providedId, name }: DataSourceFields,
): Promise<{ readonly dataSource: DataSource; readonly mappedBy: readonly (number | null)[] }> {
  const { id } = former;
  const action = "data_source.updated";
  const changed = differingFields(CHANGED_FIELDS[action], former, { providedId, name });
  if (changed.length === 0) return { dataSource: former, mappedBy: [] };
  const manager = transaction.manager("write", "data_source_update");
  await manager.update(
    DataSourceEntity,
    { ...transaction.key, id },
    {
      providedId,
      name,
      // An import locks data sources against deletion only.
      version: () => "version + 1",
    },
  );
  await record(transaction, { action, subjectId: id, subjectName: providedId, changed });
  const groups = await transaction.run<{ id: number }>(MAPPED_BY, [id, MAX_NOTIFIED + 1]);
  const mappedBy = groups.length > MAX_NOTIFIED ? [null] : groups.map((group) => group.id);
  return { dataSource: { ...former, providedId, name, version: former.version + 1 }, mappedBy };
}

/** Deletes a data source that the transaction has locked. @throws the driver's error while a mapping references it */
export async function deleteDataSource(
  transaction: TenantTransaction,
  { id, providedId }: DataSource,
): Promise<void> {
  const manager = transaction.manager("write", "data_source_delete");
  await manager.delete(DataSourceEntity, { ...transaction.key, id });
  await record(transaction, { action: "data_source.deleted", subjectId: id, subjectName: providedId });
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
