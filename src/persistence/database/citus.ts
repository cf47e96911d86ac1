import type { DataSource } from "typeorm";

/** Returns whether the database has the extension `citus`. */
export async function hasCitus(orm: DataSource): Promise<boolean> {
  const [{ exists }] = await orm.query(
    "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS exists",
  );
  return exists;
}
