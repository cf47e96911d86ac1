import { setTimeout as sleep } from "node:timers/promises";
import { MigrationExecutor } from "typeorm";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { isLockTimeout, isTransactionConflict } from "../shared/database-error.js";
import type { Database } from "./database.js";

/** The key of the advisory lock under which migrations run: any constant, as long as every replica uses the same. */
const LOCK_KEY = 7_463_502_118;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
const MS_PER_S = 1_000;

export interface MigrationState {
  readonly name: string;
  readonly applied: boolean;
}

/** How a migration behaves while other transactions hold what it must change. */
export interface MigrationTimeouts {
  /** How long one attempt waits for a lock: so long, whatever else needs the table queues behind the migration. */
  readonly lockTimeoutMs: number;
  /** How long failed attempts are repeated. */
  readonly retryMs: number;
  readonly onRetry: (message: string) => void;
}

const DEFAULT_TIMEOUTS: MigrationTimeouts = {
  lockTimeoutMs: 2_000,
  retryMs: 120_000,
  onRetry: () => undefined,
};

/**
 * Applies every migration that is missing, in order. Replicas that start together wait for one another.
 * @returns the names applied
 * @throws OperatorError when a migration cannot lock its tables in time; those before it stay applied
 */
export async function migrateUp(
  database: Database,
  timeouts: MigrationTimeouts = DEFAULT_TIMEOUTS,
): Promise<readonly string[]> {
  return withLock(database, async () => {
    const missing = await missingMigrations(database);
    await retry(database, timeouts, (executor) => executor.executePendingMigrations());
    return missing;
  });
}

/** Takes the newest applied migration back. @returns its name, or null when none is applied @throws as `migrateUp` does */
export async function migrateDown(
  database: Database,
  timeouts: MigrationTimeouts = DEFAULT_TIMEOUTS,
): Promise<string | null> {
  return withLock(database, async () => {
    const newest = (await migrationStates(database)).findLast(({ applied }) => applied);
    if (!newest) return null;
    await retry(database, timeouts, (executor) => executor.undoLastMigration());
    return newest.name;
  });
}

/** Lists the migrations that this version knows, oldest first. */
export async function migrationStates(database: Database): Promise<readonly MigrationState[]> {
  const runner = database.orm.createQueryRunner();
  try {
    const exists = await runner.hasTable("schema_migration");
    const rows: { name: string }[] = exists ? await runner.query("SELECT name FROM schema_migration") : [];
    const applied = new Set(rows.map(({ name }) => name));
    return database.orm.migrations.map(({ name }) => ({
      name: name ?? "",
      applied: applied.has(name ?? ""),
    }));
  } finally {
    await runner.release();
  }
}

async function missingMigrations(database: Database): Promise<readonly string[]> {
  const states = await migrationStates(database);
  return states.filter(({ applied }) => !applied).map(({ name }) => name);
}

/** Repeats what waited too long for a lock. Each migration has a transaction of its own, so none is applied in part. */
async function retry(
  database: Database,
  { lockTimeoutMs, retryMs, onRetry }: MigrationTimeouts,
  work: (executor: MigrationExecutor) => Promise<unknown>,
): Promise<void> {
  const giveUpAt = performance.now() + retryMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      await withExecutor(database, lockTimeoutMs, work);
      return;
    } catch (error) {
      if (!isLockTimeout(error) && !isTransactionConflict(error)) throw error;
      const fault = "A migration could not lock its tables: other transactions hold them";
      if (performance.now() + pauseMs > giveUpAt) {
        const advice =
          "End the long transactions that pg_stat_activity shows (reports, backups, idle sessions) and try again";
        const limit = `${retryMs / MS_PER_S} s (MIGRATION_RETRY_MS)`;
        throw new OperatorError(`${fault}, even after ${limit}. Nothing of it was applied. ${advice}.`, {
          cause: error,
        });
      }
      onRetry(`${fault}. Next attempt in ${pauseMs / MS_PER_S} s.`);
      await sleep(pauseMs);
    }
  }
}

/** Limits each migration's wait for locks in its own transaction, as a pooler keeps no settings of a session. */
async function withExecutor(
  { orm }: Database,
  lockTimeoutMs: number,
  work: (executor: MigrationExecutor) => Promise<unknown>,
): Promise<void> {
  const runner = orm.createQueryRunner();
  const startTransaction = runner.startTransaction.bind(runner);
  runner.startTransaction = async (level) => {
    await startTransaction(level);
    await runner.query(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  };
  try {
    const executor = new MigrationExecutor(orm, runner);
    executor.transaction = "each";
    await work(executor);
  } finally {
    await runner.release();
  }
}

async function withLock<T>(database: Database, work: () => Promise<T>): Promise<T> {
  // TypeORM takes no lock of its own. A transaction's lock, unlike a session's, also holds behind a transaction pooler.
  const holder = database.orm.createQueryRunner();
  try {
    await holder.startTransaction();
    for (const timeout of ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"])
      await holder.query(`SET LOCAL ${timeout} = 0`);
    await holder.query("SELECT pg_advisory_xact_lock($1)", [LOCK_KEY]);
    const result = await work();
    await holder.commitTransaction();
    return result;
  } finally {
    if (holder.isTransactionActive) await holder.rollbackTransaction();
    await holder.release();
  }
}
