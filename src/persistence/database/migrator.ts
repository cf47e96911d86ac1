import { setTimeout as sleep } from "node:timers/promises";
import { MigrationExecutor, type QueryRunner } from "typeorm";
import { locksOf, type MigrationLocks } from "../../../migrations/shared/locks.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { isLockTimeout, isTransactionConflict } from "../shared/database-error.js";
import type { Database } from "./database.js";

// Raw SQL: advisory locks, and a schema that entities do not match yet.

/** Keys of the advisory locks that serialize migrations; arbitrary constants that must never change. */
const LOCK_KEY = 7_463_502_119;
/**
 * Held by each migration's transaction only: version 0.1.0 waits for it in a statement, whose snapshot would block CREATE INDEX
 * CONCURRENTLY forever.
 */
const TRANSACTION_LOCK_KEY = 7_463_502_118;
const LOCK_POLL_MS = 200;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;
const MS_PER_S = 1_000;

interface MigrationState {
  readonly name: string;
  readonly applied: boolean;
}

/** Lock wait and retries of migrations. */
export interface MigrationTimeouts {
  /** Wait of one attempt for a lock. Other statements on the table queue behind the migration for that time. */
  readonly lockTimeoutMs: number;
  /** Time for which failed attempts are retried. */
  readonly retryMs: number;
  readonly onRetry: (message: string) => void;
}

export const DEFAULT_TIMEOUTS: MigrationTimeouts = {
  lockTimeoutMs: 2_000,
  retryMs: 120_000,
  onRetry: () => undefined,
};

/**
 * Applies all pending migrations in order. Processes that start at the same time wait for each other.
 * @returns the names of the applied migrations
 * @throws OperatorError when a migration cannot lock its tables in time; those before it stay applied
 */
export async function migrateUp(
  database: Database,
  timeouts: MigrationTimeouts = DEFAULT_TIMEOUTS,
): Promise<readonly string[]> {
  return withLock(database, async () => {
    const pending = await pendingMigrations(database);
    if (pending.length === database.orm.migrations.length && (await exists(database, USER_GROUP)))
      throw new OperatorError(
        "The database has the tables of version 0.1.0. Use an empty database, and move the data with export and import.",
      );
    await retry(database, timeouts, (executor) => executor.executePendingMigrations());
    return pending;
  });
}

/** Reverts the newest applied migration. @returns its name, or null when none is applied @throws as `migrateUp` does */
export async function migrateDown(
  database: Database,
  timeouts: MigrationTimeouts = DEFAULT_TIMEOUTS,
): Promise<string | null> {
  return withLock(database, async () => {
    const newest = (await migrationStates(database)).findLast(({ applied }) => applied);
    if (!newest) return null;
    const [first] = database.orm.migrations;
    const migration = database.orm.migrations.find(({ name }) => name === newest.name);
    if (migration === first && (await exists(database, ACCOUNT)))
      throw new OperatorError(
        "Reverting the first migration would delete all accounts. Delete them, or drop the database.",
      );
    await retry(database, timeouts, (executor) => {
      // TypeORM ignores the migration's own choice here.
      if (migration?.transaction === false) executor.transaction = "none";
      return executor.undoLastMigration();
    });
    return newest.name;
  });
}

const USER_GROUP = "SELECT to_regclass('user_group') IS NOT NULL AS exists";
const ACCOUNT = "SELECT EXISTS (SELECT FROM account)";

async function exists(database: Database, query: string): Promise<boolean> {
  const [row] = await database.entities("operator", (manager) => manager.query(query));
  return row.exists;
}

/** Lists the migrations that this version knows, oldest first. */
export async function migrationStates(database: Database): Promise<readonly MigrationState[]> {
  const applied = await appliedMigrations(database);
  return database.orm.migrations.map(({ name = "" }) => ({ name, applied: applied.has(name) }));
}

/** Refuses a schema newer than this version, which would overlook what is stored there. @throws OperatorError */
export async function requireKnownSchema(database: Database): Promise<void> {
  const known = new Set(database.orm.migrations.map(({ name }) => name));
  const [unknown] = [...(await appliedMigrations(database))].filter((name) => !known.has(name));
  if (unknown === undefined) return;
  throw new OperatorError(
    `The database has the migration ${unknown} of a newer version. Run the command with that version.`,
  );
}

async function appliedMigrations(database: Database): Promise<ReadonlySet<string>> {
  const runner = database.orm.createQueryRunner();
  try {
    const exists = await runner.hasTable("schema_migration");
    const rows: { name: string }[] = exists ? await runner.query("SELECT name FROM schema_migration") : [];
    return new Set(rows.map(({ name }) => name));
  } finally {
    await runner.release();
  }
}

async function pendingMigrations(database: Database): Promise<readonly string[]> {
  const states = await migrationStates(database);
  return states.filter(({ applied }) => !applied).map(({ name }) => name);
}

/**
 * Retries `work` after lock timeouts. A migration has its own transaction, so that it is not applied in part; one with
 * `transaction = false` continues where it was interrupted.
 */
async function retry(
  database: Database,
  { lockTimeoutMs, retryMs, onRetry }: MigrationTimeouts,
  work: (executor: MigrationExecutor) => Promise<unknown>,
): Promise<void> {
  const deadline = performance.now() + retryMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      await withExecutor(database, lockTimeoutMs, work);
      return;
    } catch (error) {
      if (!isLockTimeout(error) && !isTransactionConflict(error)) throw error;
      const problem = "A migration could not lock its tables because other transactions use them";
      if (performance.now() + pauseMs > deadline) {
        const advice =
          "End the long-running transactions in pg_stat_activity (reports, backups, idle sessions) and try again";
        const limit = `${retryMs / MS_PER_S} s (MIGRATION_RETRY_MS)`;
        throw new OperatorError(`${problem}, even after ${limit}. It was rolled back. ${advice}.`, {
          cause: error,
        });
      }
      onRetry(`${problem}. Next attempt in ${pauseMs / MS_PER_S} s.`);
      await sleep(pauseMs);
    }
  }
}

/** Sets the lock timeout in each migration's transaction: session settings do not survive a transaction-mode pooler. */
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
    await runner.query("SELECT pg_advisory_xact_lock($1)", [TRANSACTION_LOCK_KEY]);
  };
  try {
    const executor = new MigrationExecutor(orm, runner);
    executor.transaction = "each";
    await work(executor);
  } finally {
    await runner.release();
  }
}

/**
 * Tries to take the lock for a transaction without holding a snapshot, for whose end concurrent index builds would wait: a statement
 * that waits holds one, and so does one with parameters, until the next.
 */
async function tryLock(holder: QueryRunner): Promise<boolean> {
  await holder.startTransaction();
  await holder.query("SET LOCAL idle_in_transaction_session_timeout = 0");
  const [{ isLocked }] = await holder.query(`SELECT pg_try_advisory_xact_lock(${LOCK_KEY}) AS "isLocked"`);
  if (isLocked !== true) await holder.rollbackTransaction();
  return isLocked === true;
}

async function withLock<T>(database: Database, work: () => Promise<T>): Promise<T> {
  // TypeORM takes no lock. A transaction-level lock, unlike a session-level one, also works behind a transaction-mode pooler.
  const holder = database.orm.createQueryRunner();
  try {
    while (!(await tryLock(holder))) await sleep(LOCK_POLL_MS);
    const result = await work();
    await holder.commitTransaction();
    return result;
  } finally {
    if (holder.isTransactionActive) await holder.rollbackTransaction();
    await holder.release();
  }
}

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

/** Has the query runner record statements instead of running them, except queries and their settings. @returns the statements so far */
function recordStatements(runner: QueryRunner): string[] {
  const recorded: string[] = [];
  const query = runner.query.bind(runner);
  runner.query = async (text: string, parameters?: unknown[]) => {
    if (/^\s*(?:SELECT|SET LOCAL|ROLLBACK)\b/i.test(text)) return query(text, parameters);
    recorded.push(text);
    return [];
  };
  runner.startTransaction = async () => undefined;
  runner.commitTransaction = async () => undefined;
  return recorded;
}
