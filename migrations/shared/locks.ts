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

/** What each migration since 1764920000000 states. */
export interface LockingMigration extends MigrationInterface {
  readonly locks: MigrationLocks;
}
