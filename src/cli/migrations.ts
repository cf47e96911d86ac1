import { migrationTimeouts } from "../app/storage.js";
import { type ProcessEnvironment, readConfig } from "../config/config.js";
import { migrateDown, migrationStates } from "../persistence/database/migrator.js";
import { withStorage } from "./shared/storage.js";

/** Applies pending migrations and prints their names. */
export async function migrateDatabaseUp(environment: ProcessEnvironment): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ applied }) => {
    print(applied.length === 0 ? ["No pending migrations."] : applied.map((name) => `applied ${name}`));
  });
}

/** Reverts the newest migration and prints its name. */
export async function migrateDatabaseDown(environment: ProcessEnvironment): Promise<void> {
  const warn = (message: string) => process.stderr.write(`${message}\n`);
  const timeouts = migrationTimeouts(readConfig(environment), { warn });
  await withStorage(environment, { migrate: false, role: "owner" }, async ({ database }) => {
    const reverted = await migrateDown(database, timeouts);
    print([reverted === null ? "No migrations to revert." : `reverted ${reverted}`]);
  });
}

/** Prints all migrations and their status. */
export async function showMigrations(environment: ProcessEnvironment): Promise<void> {
  await withStorage(environment, { migrate: false, role: "owner" }, async ({ database }) => {
    const states = await migrationStates(database);
    print(states.map(({ name, applied }) => `${applied ? "applied" : "pending"} ${name}`));
  });
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
