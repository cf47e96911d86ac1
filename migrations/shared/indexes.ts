import type { QueryRunner } from "typeorm";

/**
 * Builds an index while the table is read and written. The migration must have `transaction = false`. An index that is already valid is
 * kept, and an invalid one, which an interrupted build leaves, is built again.
 * @param on table and columns, e.g. `user_group (account_id, environment, name, id)`
 */
export async function buildIndex(queryRunner: QueryRunner, name: string, on: string): Promise<void> {
  const [found]: ({ isValid: boolean } | undefined)[] = await queryRunner.query(
    `SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [name],
  );
  if (found?.isValid === true) return;
  if (found) await dropIndex(queryRunner, name);
  await queryRunner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
}

/** Drops an index while its table is read and written. The migration must have `transaction = false`. */
export async function dropIndex(queryRunner: QueryRunner, name: string): Promise<void> {
  await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
