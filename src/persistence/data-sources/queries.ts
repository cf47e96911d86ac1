import type { DataSource } from "../../domain/data-sources/data-source.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { type DataSourceEntity, toDataSource } from "./entity.js";

/** The columns a data source is read from. */
export const DATA_SOURCE_COLUMNS = `id, provided_id AS "providedId", name, created_at AS "createdAt"`;

const BY_IDS: Statement = {
  name: "data_sources_by_ids",
  access: "read",
  text: `SELECT ${DATA_SOURCE_COLUMNS} FROM data_source
    WHERE account_id = $1 AND environment = $2 AND id = ANY ($3::integer[])`,
};

const BY_PROVIDED_IDS: Statement = {
  name: "data_sources_by_provided_ids",
  access: "read",
  text: `SELECT ${DATA_SOURCE_COLUMNS} FROM data_source
    WHERE account_id = $1 AND environment = $2 AND provided_id = ANY ($3::text[])`,
};

const BY_REFERENCES_LOCKED: Statement = {
  name: "data_sources_by_references_locked",
  // The lock keeps a data source from being deleted until the mapping that is about to name it has committed. One order
  // of locking for all keeps transactions from waiting for one another in a ring.
  access: "write",
  text: `SELECT ${DATA_SOURCE_COLUMNS} FROM data_source
    WHERE account_id = $1 AND environment = $2 AND (provided_id = ANY ($3::text[]) OR id = ANY ($4::integer[]))
    ORDER BY id FOR KEY SHARE`,
};

type DataSourceRow = Omit<DataSourceEntity, "accountId" | "environment">;

/** The tenant's data sources that have these internal ids, in no order. */
export async function findDataSourcesByIds(db: TenantDb, ids: readonly number[]): Promise<DataSource[]> {
  return (await db.run<DataSourceRow>(BY_IDS, [ids])).map(toDataSource);
}

/** The tenant's data sources that have these provided ids, in no order. */
export async function findDataSourcesByProvidedIds(
  db: TenantDb,
  providedIds: readonly string[],
): Promise<DataSource[]> {
  return (await db.run<DataSourceRow>(BY_PROVIDED_IDS, [providedIds])).map(toDataSource);
}

/** The data sources that either list names, locked against deletion until the transaction ends. */
export async function lockDataSources(
  transaction: TenantDb,
  providedIds: readonly string[],
  ids: readonly number[],
): Promise<DataSource[]> {
  const rows = await transaction.run<DataSourceRow>(BY_REFERENCES_LOCKED, [providedIds, ids]);
  return rows.map(toDataSource);
}
