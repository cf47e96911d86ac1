import type { MigrationInterface } from "typeorm";
import { LANDED_LOCKS } from "./landed-locks.js";
import type { LockingMigration, MigrationLocks } from "./locks.js";

/** Returns the locks that the migration states; undefined when it states none. */
export function locksOf(migration: MigrationInterface): MigrationLocks | undefined {
  return statesLocks(migration) ? migration.locks : LANDED_LOCKS[migration.name ?? ""];
}

function statesLocks(migration: MigrationInterface): migration is LockingMigration {
  return "locks" in migration;
}
