import { escapeLiteral } from "pg";
import type { QueryRunner } from "typeorm";

// Steps of migrations with `transaction = false`, during which requests are served. Each can be repeated after an interruption.

/** Runs `work` in a transaction. */
export async function inTransaction<Result>(
  queryRunner: QueryRunner,
  work: () => Promise<Result>,
): Promise<Result> {
  await queryRunner.startTransaction();
  try {
    const result = await work();
    await queryRunner.commitTransaction();
    return result;
  } catch (error) {
    await queryRunner.rollbackTransaction();
    throw error;
  }
}

/**
 * Runs each text in a transaction of its own: a migration that waits for the lock of a table while it holds another's can cause a deadlock
 * with a request, which then fails. The migration must have `transaction = false`, and each text be repeatable.
 */
export async function runSeparately(queryRunner: QueryRunner, texts: readonly string[]): Promise<void> {
  for (const text of texts) await inTransaction(queryRunner, () => queryRunner.query(text));
}

/**
 * Builds an index while the table is read and written. An index that is already valid is kept, and an invalid one, which an interrupted build
 * leaves, is built again.
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

/** Drops an index while its table is read and written. */
export async function dropIndex(queryRunner: QueryRunner, name: string): Promise<void> {
  await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

/** Rows that are locked at once. */
const BATCH = 2_000;

interface Backfill {
  /** A table of tenants' rows with a primary key of `account_id`, `environment` and `id`. */
  readonly table: string;
  /** SQL columns that `set` uses, e.g. `EXISTS (…) AS is_used`: Citus refuses subqueries in assignments. $1 is the account, $2 the environment. */
  readonly read?: string;
  /** SQL assignments, e.g. `size = length(text)`. */
  readonly set: string;
  /** Condition of the rows that still lack the values, e.g. `size IS NULL`. */
  readonly where: string;
}

/**
 * Updates the rows of all tenants in batches, each in its own transaction and within its tenant's row scope: row-level security applies to
 * the owner role too. After an interruption, the remaining rows are updated.
 */
export async function backfill(
  queryRunner: QueryRunner,
  { table, read, set, where }: Backfill,
): Promise<void> {
  // In the plan for an empty database, there is no table yet.
  const [{ exists }] = await queryRunner.query("SELECT to_regclass('account') IS NOT NULL AS exists");
  if (exists !== true) return;
  const accounts: { id: number }[] = await inScope(queryRunner, { "app.operator": "on" }, () =>
    queryRunner.query("SELECT id FROM account ORDER BY id"),
  );
  // The rows are selected apart from the update, which skips those that change meanwhile: the next pass finds them.
  const update = `WITH batch AS MATERIALIZED (
      SELECT id AS batch_id, ctid AS place${read === undefined ? "" : `, ${read}`} FROM ${table}
      WHERE account_id = $1 AND environment = $2 AND id > $3 AND ${where} ORDER BY id LIMIT ${BATCH}),
    updated AS (
      UPDATE ${table} SET ${set} FROM batch WHERE account_id = $1 AND environment = $2 AND ctid = place)
    SELECT max(batch_id)::text AS last FROM batch`;
  for (const { id } of accounts) {
    for (const environment of ["Customer", "Testing"]) {
      const scope = { "app.account_id": String(id), "app.environment": environment };
      const updateAfter = async (after: string): Promise<string | null> => {
        const run = () => queryRunner.query(update, [id, environment, after]);
        const [batch]: ({ last: string | null } | undefined)[] = await inScope(queryRunner, scope, run);
        return batch?.last ?? null;
      };
      // A pass reads the rows once; after one that finds none, all have the values.
      for (let last = await updateAfter("0"); last !== null; last = await updateAfter("0"))
        for (let next: string | null = last; next !== null; ) next = await updateAfter(next);
    }
  }
}

/** Runs `work` in a transaction with settings. */
async function inScope<Result>(
  queryRunner: QueryRunner,
  settings: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
): Promise<Result> {
  return inTransaction(queryRunner, async () => {
    // Not set_config(), which Citus does not send to its workers.
    for (const [name, value] of Object.entries(settings))
      await queryRunner.query(`SET LOCAL ${name} = ${escapeLiteral(value)}`);
    return work();
  });
}
