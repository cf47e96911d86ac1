import { migrationTimeouts } from "../app/storage.js";
import { type ProcessEnvironment, readConfig } from "../config/config.js";
import {
  migrateDown,
  migrationStates,
  type PlannedMigration,
  planMigrations,
} from "../persistence/database/migrator.js";
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

/** Prints the pending migrations as SQL, with the locks that they take as comments. */
export async function printMigrationPlan(environment: ProcessEnvironment, output: Output): Promise<void> {
  await withStorage(environment, { migrate: false, role: "owner" }, async ({ database }) => {
    const planned = await planMigrations(database);
    await output.print(
      planned,
      linesOf(planned.length === 0 ? ["No pending migrations."] : planned.map(describe)),
    );
  });
}

function describe({ name, locks, isTransactional, statements }: PlannedMigration): string {
  const stated = Object.entries(locks).map(([table, mode]) => `--   ${mode} on ${table}`);
  const comments = [
    `-- ${name}`,
    ...(stated.length === 0 ? ["-- locks no existing table"] : ["-- locks:", ...stated]),
    ...(isTransactional ? [] : ["-- not in a transaction; continues after an interruption"]),
  ];
  const sql = statements.map((statement) => `${statement.trim().replace(/;$/, "")};`);
  return [...comments, ...(isTransactional ? ["BEGIN;", ...sql, "COMMIT;"] : sql), ""].join("\n");
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
