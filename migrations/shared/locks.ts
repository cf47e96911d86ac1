import type { MigrationInterface } from "typeorm";

/** The lock modes of PostgreSQL that block others' changes of data or schema, weakest first. */
export const LOCK_MODES = [
  "SHARE UPDATE EXCLUSIVE",
  "SHARE",
  "SHARE ROW EXCLUSIVE",
  "EXCLUSIVE",
  "ACCESS EXCLUSIVE",
] as const;

/** The strongest lock that a migration takes on each table that exists before it; locks of plain reads and writes are left out. */
export type MigrationLocks = Readonly<Record<string, (typeof LOCK_MODES)[number]>>;

/** A migration states its locks. A transaction that blocks requests locks one table only (`runSeparately`). */
export interface LockingMigration extends MigrationInterface {
  readonly locks: MigrationLocks;
}

/** Returns the locks that the migration states; undefined when it states none. */
export function locksOf(migration: MigrationInterface): MigrationLocks | undefined {
  return statesLocks(migration) ? migration.locks : undefined;
}

function statesLocks(migration: MigrationInterface): migration is LockingMigration {
  return "locks" in migration;
}
