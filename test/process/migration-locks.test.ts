import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LockingMigration } from "../../migrations/shared/locks.js";
import type { Database } from "../../src/persistence/database/database.js";
import { migrateDown, migrateUp, migrationStates } from "../../src/persistence/database/migrator.js";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { connectDatabase } from "../support/postgres/postgres-setup.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { runHere } from "../support/service/command.js";

const LOCK_TIMEOUT_MS = 300;

let testDatabase: TestDatabase;
let database: Database;
let report: Client;
let traffic: Client;

/** A change of a table that requests use. */
const sample: LockingMigration = {
  name: "Sample9999999999999",
  locks: { user_group: "ACCESS EXCLUSIVE" },
  up: (runner) => runner.query("ALTER TABLE user_group ADD COLUMN sample text"),
  down: (runner) => runner.query("ALTER TABLE user_group DROP COLUMN sample"),
};

beforeAll(async () => {
  testDatabase = await createTestDatabase("empty");
  const { owner } = testDatabase;
  database = await connectDatabase(owner, 3);
  await migrateUp(database);
  database.orm.migrations.push(sample);
  [report, traffic] = [new Client(clientOptions(owner)), new Client(clientOptions(owner))];
  await Promise.all([report.connect(), traffic.connect()]);
});
afterAll(async () => {
  await Promise.all([report.end(), traffic.end(), database.close()]);
  await testDatabase.drop();
});

/** A long transaction that reads the table. */
async function beginReport(): Promise<void> {
  await report.query("BEGIN");
  await report.query("SELECT count(*) FROM user_group");
}

test("a migration waiting for a long transaction lets other queries pass and is applied afterwards", async () => {
  await beginReport();
  const retries: string[] = [];
  const timeouts = {
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    retryMs: 60_000,
    onRetry: (text: string) => retries.push(text),
  };
  let isDone = false;
  const migrating = migrateUp(database, timeouts).finally(() => {
    isDone = true;
  });
  // The report continues meanwhile: behind a migration that kept its locks it would block forever.
  while (retries.length < 2) await traffic.query("SELECT count(*) FROM user_group");
  expect(isDone).toBe(false);
  expect(retries[0]).toBe(
    "A migration could not lock its tables because other transactions use them. Next attempt in 1 s.",
  );
  await report.query("COMMIT");
  expect(await migrating).toEqual([sample.name]);
});

test("a migration is reverted under the same lock timeout, and stays if it cannot get its locks", async () => {
  const timeouts = { lockTimeoutMs: LOCK_TIMEOUT_MS, retryMs: 0, onRetry: () => undefined };
  await beginReport();
  await expect(migrateDown(database, timeouts)).rejects.toThrow(
    /could not lock its tables.*It was rolled back/,
  );
  await report.query("COMMIT");
  expect((await migrationStates(database)).at(-1)).toEqual({ name: sample.name, applied: true });
  expect(await migrateDown(database, timeouts)).toBe(sample.name);
});

test("the command says what to do when a migration cannot get its locks", async () => {
  // As far as one that locks its tables: one that builds an index concurrently would wait for the open transaction instead.
  const locking = () => database.orm.migrations.find(({ name }) => name === reverted)?.transaction !== false;
  let reverted = await migrateDown(database);
  while (!locking()) reverted = await migrateDown(database);
  await report.query("BEGIN; LOCK TABLE user_group, schema_migration IN SHARE MODE");
  const env = {
    DATABASE_URL: databaseUrl(testDatabase.owner),
    ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    MIGRATION_RETRY_MS: "6000",
  };
  const command = await runHere(["migrate", "up"], env);
  expect(command.code).toBe(1);
  expect(command.stderr).toContain("Next attempt in 1 s.");
  expect(command.stderr).toContain("even after 6 s (MIGRATION_RETRY_MS). It was rolled back. End the long");
  await report.query("COMMIT");
  expect((await runHere(["migrate", "up"], env)).stdout).toContain(`applied ${reverted}`);
});
