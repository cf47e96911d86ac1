import { randomBytes } from "node:crypto";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { TokenVault } from "../../src/domain/accounts/token-vault.js";
import { Database } from "../../src/persistence/database/database.js";
import { migrateUp } from "../../src/persistence/database/migrator.js";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { verifyLoad } from "../support/faults/load-verification.js";
import { type SteadyLoad, startLoad } from "../support/faults/steady-load.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import type { Data } from "../support/graphql/graphql-fixture.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { asRole } from "../support/postgres/postgres-setup.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import {
  compilePreviousRelease,
  hasPreviousRelease,
  NO_PREVIOUS_RELEASE,
} from "../support/service/released-service.js";
import { createTestProcesses } from "../support/service/running-process.js";

/** The newest migration of version 0.1.0. */
const NEWEST_OF_0_1_0 = "AnalyzeImports1764710000000";
const KEY = randomBytes(32);
const GROUPS = 3_000;
/** A busy machine must not cause refusals; a deadlock does at any timeout. */
const PATIENT = {
  REQUEST_TIMEOUT_MS: "120000",
  DATABASE_CONNECT_TIMEOUT_MS: "60000",
  DATABASE_STATEMENT_TIMEOUT_MS: "60000",
  DATABASE_LOCK_TIMEOUT_MS: "60000",
};
/** Requests of a load before the next step. */
const STEADY = 100;

const processes = createTestProcesses();
let testDatabase: TestDatabase;
let administration: Pool;
let release: string;

beforeEach(({ skip }) => skip(!hasPreviousRelease, NO_PREVIOUS_RELEASE));
beforeAll(async () => {
  if (!hasPreviousRelease) return;
  release = await compilePreviousRelease();
  testDatabase = await createTestDatabase("empty");
  administration = new Pool(clientOptions(testDatabase.owner));
}, 600_000);
afterAll(async () => {
  await processes.close();
  await administration?.end();
  await testDatabase?.drop();
});

async function query(text: string, values: readonly unknown[] = []): Promise<Data[]> {
  return (await administration.query(text, [...values])).rows;
}

/** Creates the tables of version 0.1.0, with an account whose data sources both environments share. */
async function createDatabaseOf010(): Promise<void> {
  const database = await Database.connect({
    target: testDatabase.owner,
    poolSize: 2,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 0,
  });
  try {
    const { migrations } = database.orm;
    migrations.splice(migrations.findIndex(({ name }) => name === NEWEST_OF_0_1_0) + 1);
    await migrateUp(database);
  } finally {
    await database.close();
  }
  await query("INSERT INTO account (name, token_key_id) VALUES ('old', $1)", [
    new TokenVault([KEY]).primaryKeyId,
  ]);
  await query(`SET app.environment = 'Customer';
    INSERT INTO data_source (account_id, provided_id, name) SELECT 1, 'source ' || n, 'Source ' || n FROM generate_series(1, 20) AS n;
    INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup)
      SELECT 1, (CASE WHEN n % 10 = 0 THEN 'Testing' ELSE 'Customer' END)::environment, nextval('user_group_team_id'), 'old ' || n,
        'Name ' || n, 'k', '', sha256(n::text::bytea) FROM generate_series(1, ${GROUPS}) AS n;
    INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
      SELECT account_id, environment, id, 'schema', 1 + id % 20 FROM user_group`);
}

/** What the account of 0.1.0 has, in terms that no migration changes. */
async function oldData(): Promise<Data> {
  const [counts] = await query(`SELECT count(*) AS groups, count(DISTINCT source.provided_id) AS sources,
      md5(string_agg(concat_ws('/', owner.environment, owner.provided_id, owner.name, schema_id, source.provided_id), ','
        ORDER BY owner.id)) AS content
    FROM user_group AS owner
    JOIN mapping_entry AS entry ON entry.account_id = owner.account_id AND entry.user_group_id = owner.id
    JOIN data_source AS source ON source.account_id = owner.account_id AND source.id = entry.data_source_id
    WHERE owner.account_id = 1`);
  return counts;
}

function expectNoFailure(load: SteadyLoad): void {
  expect(load.journal.violations).toEqual([]);
  expect(load.journal.calls.filter((call) => call.refused)).toEqual([]);
}

async function steady(load: SteadyLoad): Promise<void> {
  const before = load.journal.calls.length;
  await expect.poll(() => load.journal.calls.length - before).toBeGreaterThan(STEADY);
}

test("the previous release serves while the database of version 0.1.0 is migrated, and the new one takes over", async () => {
  await createDatabaseOf010();
  const old = await oldData();
  expect(old).toMatchObject({ groups: String(GROUPS), sources: "20" });
  const runtime = asRole(testDatabase.owner, inject("postgres").runtime);
  const env = {
    DATABASE_URL: databaseUrl(runtime),
    ENCRYPTION_KEYS: KEY.toString("base64"),
    LOG_LEVEL: "warn",
    ...PATIENT,
  };
  const ownerEnv = { ...env, DATABASE_MIGRATION_URL: databaseUrl(testDatabase.owner) };

  // From 0.1.0 to the previous release, processes are stopped (docs/upgrading.md).
  const first = await processes.run(["migrate", "up"], { env: ownerEnv, release });
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(await oldData()).toEqual(old);
  // Statements that are prepared for 32-bit IDs could not run afterwards (docs/upgrading.md).
  const before = await processes.serve({ env: { ...env, DATABASE_POOLED: "true" }, release });
  const keys: string[] = [];
  for (const environment of ["Customer", "Testing"]) {
    const args = ["key", "create", "--account", "A", "--environment", environment, "--scope", "write"];
    keys.push((await processes.run(args, { env, release })).stdout.trim());
  }
  for (const key of keys)
    for (const [providedId, name] of [
      ["sales", "Sales database"],
      ["support", "Support database"],
    ]) {
      const operation = `mutation ($input: CreateDataSourceInput!) { createDataSource(input: $input) { userErrors { code } } }`;
      await callGraphql(before.url, key, operation, { input: { providedId, name } });
    }

  const onPrevious = startLoad(before.url, keys, "previous");
  await steady(onPrevious);
  const migration = await processes.run(["migrate", "up"], { env: ownerEnv });
  // It may have had to wait for locks, which it reports.
  expect(migration.code, migration.stderr).toBe(0);
  expect(migration.stdout).toMatch(/^applied /);
  await steady(onPrevious);

  // Both releases serve until the last process is replaced.
  const after = await processes.serve({ env });
  const onNew = startLoad(after.url, keys, "new");
  await Promise.all([steady(onPrevious), steady(onNew)]);
  await onPrevious.stop();
  await verifyLoad(onPrevious, query);
  before.kill("SIGTERM");
  expect((await before.ended).code).toBe(0);
  await steady(onNew);
  await onNew.stop();
  await verifyLoad(onNew, query);

  // First the log, which has the reason of a refusal.
  expect(before.stderr() + after.stderr()).toBe("");
  expectNoFailure(onPrevious);
  expectNoFailure(onNew);
  expect(await oldData()).toEqual(old);
}, 900_000);
