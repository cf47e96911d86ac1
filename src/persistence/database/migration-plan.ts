import type { QueryRunner } from "typeorm";
import { locksOf, type MigrationLocks } from "../../../migrations/shared/locks.js";
import type { Database } from "./database.js";
import { pendingMigrations } from "./migrator.js";

/** A pending migration. */
export interface PlannedMigration {
  readonly name: string;
  /** The locks that it states. */
  readonly locks: MigrationLocks;
  readonly isTransactional: boolean;
  readonly statements: readonly string[];
}

/**
 * Returns the statements of the pending migrations without running them; only their queries of the catalog are run, in a read-only
 * transaction. A statement that is repeated, as for each tenant, appears once.
 */
export async function planMigrations(database: Database): Promise<readonly PlannedMigration[]> {
  const pending = new Set(await pendingMigrations(database));
  const runner = database.orm.createQueryRunner();
  try {
    await runner.startTransaction();
    await runner.query("SET TRANSACTION READ ONLY");
    const recorded = recordStatements(runner);
    const planned: PlannedMigration[] = [];
    for (const migration of database.orm.migrations.filter(({ name }) => pending.has(name ?? ""))) {
      await migration.up(runner);
      planned.push({
        name: migration.name ?? "",
        locks: locksOf(migration) ?? {},
        isTransactional: migration.transaction !== false,
        statements: [...new Set(recorded.splice(0))],
      });
    }
    return planned;
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    await runner.release();
  }
}

/** Has the query runner record statements instead of running them, except queries. @returns the statements so far */
function recordStatements(runner: QueryRunner): string[] {
  const recorded: string[] = [];
  const query = runner.query.bind(runner);
  runner.query = async (text: string, parameters?: unknown[]) => {
    if (/^\s*(?:SELECT|ROLLBACK)\b/i.test(text)) return query(text, parameters);
    recorded.push(text);
    return [];
  };
  runner.startTransaction = async () => undefined;
  runner.commitTransaction = async () => undefined;
  return recorded;
}
