import type { Database } from "./database.js";

/** The key of the advisory lock under which migrations run: any constant, as long as every replica uses the same. */
const LOCK_KEY = 7_463_502_118;

export interface MigrationState {
  readonly name: string;
  readonly applied: boolean;
}

/** Applies every migration that is missing, in order. Replicas that start together wait for one another. @returns the names applied */
export async function migrateUp(database: Database): Promise<readonly string[]> {
  return withLock(database, async () => {
    const applied = await database.orm.runMigrations({ transaction: "each" });
    return applied.map(({ name }) => name);
  });
}

/** Takes the newest applied migration back. @returns its name, or null when none is applied */
export async function migrateDown(database: Database): Promise<string | null> {
  return withLock(database, async () => {
    const newest = (await migrationStates(database)).findLast(({ applied }) => applied);
    if (!newest) return null;
    await database.orm.undoLastMigration({ transaction: "each" });
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

async function withLock<T>(database: Database, work: () => Promise<T>): Promise<T> {
  // TypeORM takes no lock of its own. A transaction's lock, unlike a session's, also holds behind a transaction pooler.
  const holder = database.orm.createQueryRunner();
  try {
    await holder.startTransaction();
    await holder.query("SET LOCAL statement_timeout = 0");
    await holder.query("SELECT pg_advisory_xact_lock($1)", [LOCK_KEY]);
    const result = await work();
    await holder.commitTransaction();
    return result;
  } finally {
    if (holder.isTransactionActive) await holder.rollbackTransaction();
    await holder.release();
  }
}
