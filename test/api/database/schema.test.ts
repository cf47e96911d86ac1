import { afterEach, expect, test } from "vitest";
import type { Database } from "../../../src/persistence/database/database.js";
import { migrateDown, migrateUp, migrationStates } from "../../../src/persistence/database/migrator.js";
import { connectDatabase } from "../../support/postgres/postgres-setup.js";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.js";

const opened: Database[] = [];
let testDatabase: TestDatabase | undefined;

async function open(kind: "migrated" | "empty"): Promise<Database> {
  testDatabase ??= await createTestDatabase(kind);
  const database = await connectDatabase(testDatabase.target);
  opened.push(database);
  return database;
}

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await testDatabase?.drop();
  testDatabase = undefined;
});

async function differences(database: Database): Promise<string[]> {
  // TypeORM 1.1 reads the schema with parallel queries on one connection, which pg warns about.
  process.noDeprecation = true;
  const { upQueries } = await database.orm.driver.createSchemaBuilder().log();
  process.noDeprecation = false;
  return upQueries.map(({ query }) => query);
}

test("entities and migrations agree, also after up, down and up", async () => {
  const database = await open("empty");
  const names = database.orm.migrations.map(({ name }) => name);
  expect(await migrateUp(database)).toEqual(names);
  expect(await differences(database)).toEqual([]);
  for (const name of names.toReversed()) expect(await migrateDown(database)).toBe(name);
  expect(await migrateDown(database)).toBeNull();
  expect((await migrationStates(database)).every(({ applied }) => !applied)).toBe(true);
  expect(await tables(database)).toEqual(["schema_migration"]);
  expect(await migrateUp(database)).toEqual(names);
  expect(await differences(database)).toEqual([]);
});

test("the first migration neither replaces the tables of version 0.1.0 nor deletes accounts", async () => {
  const database = await open("empty");
  await database.entities("operator", (manager) => manager.query("CREATE TABLE user_group ()"));
  await expect(migrateUp(database)).rejects.toThrow("has the tables of version 0.1.0");
  await database.entities("operator", (manager) => manager.query("DROP TABLE user_group"));
  await migrateUp(database);
  await database.entities("operator", (manager) =>
    manager.query("INSERT INTO account (name, token_key_id) VALUES ('one', 'k')"),
  );
  const revertAll = async () => {
    while ((await migrateDown(database)) !== null);
  };
  await expect(revertAll()).rejects.toThrow("would delete all accounts");
});

test("replicas that start together migrate once", async () => {
  const replicas = [];
  for (let count = 0; count < 5; count += 1) replicas.push(await open("empty"));
  const applied = await Promise.all(replicas.map((replica) => migrateUp(replica)));
  expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
});

// The joins with pg_class leave out the shards of Citus.

/** Tables without tenants' rows. */
const SHARED_TABLES = ["account", "schema_migration", "signing_key", "ended_console_session"];

test("every table with tenants' rows leads its primary and unique keys with account_id, and all constraints are named", async () => {
  const database = await open("migrated");
  const keys: { table: string; name: string; first: string }[] = await database.entities(
    "operator",
    (manager) =>
      manager.query(`SELECT conrelid::regclass::text AS "table", conname AS name, attname AS first
      FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
      WHERE contype IN ('p', 'u') AND connamespace = 'public'::regnamespace`),
  );
  const tenantKeys = keys.filter(({ table }) => !SHARED_TABLES.includes(table));
  expect(tenantKeys.length).toBeGreaterThanOrEqual(8);
  expect(tenantKeys.filter(({ first }) => first !== "account_id")).toEqual([]);
  const unique: { name: string }[] = await database.entities("operator", (manager) =>
    manager.query(`SELECT indexrelid::regclass::text AS name FROM pg_index
      JOIN pg_class ON pg_class.oid = indrelid JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
      WHERE relnamespace = 'public'::regnamespace AND indisunique AND attname <> 'account_id'`),
  );
  expect(
    unique.filter(
      ({ name }) => !/^(account_|schema_migration|signing_key_|ended_console_session_|"PK_)/.test(name),
    ),
  ).toEqual([]);
  const names = await constraintNames(database);
  expect(names.filter((name) => !/_(pk|uq|fk|not_null)$/.test(name))).toEqual([]);
});

async function tables(database: Database): Promise<string[]> {
  const rows: { name: string }[] = await database.entities("operator", (manager) =>
    manager.query(
      "SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'S') AND relnamespace = 'public'::regnamespace AND relname NOT LIKE '%_id_seq'",
    ),
  );
  return rows.map(({ name }) => name);
}

async function constraintNames(database: Database): Promise<string[]> {
  const rows: { name: string }[] = await database.entities("operator", (manager) =>
    manager.query(`SELECT conname AS name FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
      WHERE connamespace = 'public'::regnamespace AND conrelid <> 'schema_migration'::regclass`),
  );
  return rows.map(({ name }) => name);
}
