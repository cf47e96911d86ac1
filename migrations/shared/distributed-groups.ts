import type { QueryRunner } from "typeorm";

/** Returns whether Citus distributes the user groups. */
export async function hasDistributedGroups(queryRunner: QueryRunner): Promise<boolean> {
  const [{ catalog }] = await queryRunner.query(
    "SELECT to_regclass('pg_catalog.pg_dist_partition') AS catalog",
  );
  if (catalog === null) return false;
  const rows = await queryRunner.query(
    "SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('user_group')",
  );
  return rows.length > 0;
}
