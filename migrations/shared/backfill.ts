import type { QueryRunner } from "typeorm";
import { inTransaction } from "./transactions.js";

/** Rows that are locked at once. */
const BATCH = 2_000;

interface Backfill {
  /** A table of tenants' rows. */
  readonly table: string;
  /** SQL assignments, e.g. `size = length(text)`. */
  readonly set: string;
  /** Condition of the rows that still lack the values, e.g. `size IS NULL`. */
  readonly where: string;
}

/**
 * Updates the rows of all tenants in batches, each in its own transaction and within its tenant's row scope: row-level security applies to
 * the owner role too. The migration must have `transaction = false`. After an interruption, the remaining rows are updated.
 */
export async function backfill(queryRunner: QueryRunner, { table, set, where }: Backfill): Promise<void> {
  const accounts: { id: number }[] = await inScope(queryRunner, { "app.operator": "on" }, () =>
    queryRunner.query("SELECT id FROM account ORDER BY id"),
  );
  // The rows are selected apart from the update, which skips those that change meanwhile: they are found again.
  const update = `WITH batch AS MATERIALIZED (
      SELECT ctid AS place FROM ${table} WHERE account_id = $1 AND environment = $2 AND ${where} LIMIT ${BATCH}),
    updated AS (
      UPDATE ${table} SET ${set} FROM batch WHERE ctid = place)
    SELECT count(*)::integer AS count FROM batch`;
  for (const { id } of accounts) {
    for (const environment of ["Customer", "Testing"]) {
      const scope = { "app.account_id": String(id), "app.environment": environment };
      for (let count = 1; count > 0; ) {
        const [batch]: ({ count: number } | undefined)[] = await inScope(queryRunner, scope, () =>
          queryRunner.query(update, [id, environment]),
        );
        count = batch?.count ?? 0;
      }
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
    for (const setting of Object.entries(settings))
      await queryRunner.query("SELECT set_config($1, $2, true)", [...setting]);
    return work();
  });
}
