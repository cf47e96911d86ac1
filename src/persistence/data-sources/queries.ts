import { Any, type FindOptionsWhere } from "typeorm";
import type { DataSource } from "../../domain/data-sources/data-source.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { DataSourceEntity, toDataSource } from "./entity.js";

/** The columns a data source is read from. */
export const DATA_SOURCE_COLUMNS = `id, provided_id AS "providedId", name, created_at AS "createdAt"`;

// By hand: TypeORM neither has FOR KEY SHARE with an array on either side of OR nor needs less text for it.
const BY_REFERENCES_LOCKED: Statement = {
  name: "data_sources_by_references_locked",
  // The lock keeps a data source from being deleted until the mapping that is about to name it has committed. One order
  // of locking for all keeps transactions from waiting for one another in a ring.
  access: "write",
  text: `SELECT ${DATA_SOURCE_COLUMNS} FROM data_source
    WHERE account_id = $1 AND environment = $2 AND (provided_id = ANY ($3::text[]) OR id = ANY ($4::integer[]))
    ORDER BY id FOR KEY SHARE`,
};

/** The tenant's data sources that have these internal ids, in no order. */
export async function findDataSourcesByIds(db: TenantDb, ids: readonly number[]): Promise<DataSource[]> {
  return find(db, { id: Any([...ids]) });
}

/** The tenant's data sources that have these provided ids, in no order. */
export async function findDataSourcesByProvidedIds(
  db: TenantDb,
  providedIds: readonly string[],
): Promise<DataSource[]> {
  return find(db, { providedId: Any([...providedIds]) });
}

/** The data sources that either list names, locked against deletion until the transaction ends. */
export async function lockDataSources(
  transaction: TenantDb,
  providedIds: readonly string[],
  ids: readonly number[],
): Promise<DataSource[]> {
  return transaction.run<DataSource>(BY_REFERENCES_LOCKED, [providedIds, ids]);
}

async function find(db: TenantDb, where: FindOptionsWhere<DataSourceEntity>): Promise<DataSource[]> {
  const found = await db.manager("read", "data_sources").findBy(DataSourceEntity, { ...db.key, ...where });
  return found.map(toDataSource);
}
