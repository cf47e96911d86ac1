import { migrationTimeouts } from "../app/storage.js";
import { type ProcessEnvironment, readConfig } from "../config/config.js";
import { migrateDown, migrationStates } from "../persistence/database/migrator.js";
import type { Output } from "./shared/output.js";
import { withStorage } from "./shared/storage.js";

/** Applies pending migrations and prints their names. */
export async function migrateDatabaseUp(environment: ProcessEnvironment, output: Output): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ applied }) => {
    const lines =
      applied.length === 0 ? ["No pending migrations."] : applied.map((name) => `applied ${name}`);
    await output.print({ applied }, linesOf(lines));
  });
}

/** Reverts the newest migration and prints its name. */
export async function migrateDatabaseDown(environment: ProcessEnvironment, output: Output): Promise<void> {
  const warn = (message: string) => process.stderr.write(`${message}\n`);
  const timeouts = migrationTimeouts(readConfig(environment), { warn });
  await withStorage(environment, { migrate: false, role: "owner" }, async ({ database }) => {
    const reverted = await migrateDown(database, timeouts);
    const line = reverted === null ? "No migrations to revert." : `reverted ${reverted}`;
    await output.print({ reverted }, linesOf([line]));
  });
}

/** Prints all migrations and their status. */
export async function showMigrations(environment: ProcessEnvironment, output: Output): Promise<void> {
  await withStorage(environment, { migrate: false, role: "owner" }, async ({ database }) => {
    const states = await migrationStates(database);
    const lines = states.map(({ name, applied }) => `${applied ? "applied" : "pending"} ${name}`);
    await output.print(states, linesOf(lines));
  });
}

function linesOf(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
