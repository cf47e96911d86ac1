import { randomBytes } from "node:crypto";
import { Pool } from "pg";
import type { QueryRunner } from "typeorm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LockingMigration } from "../../migrations/shared/locks.js";
import { backfill, buildIndex, dropIndex, runSeparately } from "../../migrations/shared/online.js";
import type { Database } from "../../src/persistence/database/database.js";
import { migrateUp } from "../../src/persistence/database/migrator.js";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { createKeys } from "../support/faults/faulted-service.js";
import { verifyLoad } from "../support/faults/load-verification.js";
import { type SteadyLoad, startLoad } from "../support/faults/steady-load.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { connectDatabase } from "../support/postgres/postgres-setup.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { PATIENT } from "../support/service/patience.js";
import { createTestProcesses } from "../support/service/running-process.js";

const GROUPS = 5_000;
/** Requests of a load before the next step. */
const STEADY = 100;

/** What the next version may do: new columns of tables that foreign keys connect, an index, values of all rows. */
class NextVersion9999999999999 implements LockingMigration {
  readonly name = "NextVersion9999999999999";
  readonly transaction = false;
  readonly locks = {
    user_group: "ACCESS EXCLUSIVE",
    mapping_entry: "ACCESS EXCLUSIVE",
    data_source: "ACCESS EXCLUSIVE",
  } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    await runSeparately(
      queryRunner,
      Object.keys(this.locks).map((table) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS sample text`),
    );
    await buildIndex(queryRunner, "user_group_sample_ix", "user_group (account_id, environment, sample, id)");
    await backfill(queryRunner, { table: "user_group", set: "sample = name", where: "sample IS NULL" });
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, "user_group_sample_ix");
    await runSeparately(
      queryRunner,
      Object.keys(this.locks).map((table) => `ALTER TABLE ${table} DROP COLUMN IF EXISTS sample`),
    );
  }
}

const processes = createTestProcesses();
let testDatabase: TestDatabase;
let administration: Pool;
let owner: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase("migrated");
  administration = new Pool(clientOptions(testDatabase.owner));
  owner = await connectDatabase(testDatabase.owner);
});
afterAll(async () => {
  await processes.close();
  await owner.close();
  await administration.end();
  await testDatabase.drop();
});

async function query(text: string, values: readonly unknown[] = []) {
  return (await administration.query(text, [...values])).rows;
}

async function steady(load: SteadyLoad): Promise<void> {
  const before = load.journal.calls.length;
  await expect.poll(() => load.journal.calls.length - before).toBeGreaterThan(STEADY);
}

test("processes serve without a failure while the next version's migration runs, and another one takes over", async () => {
  const encryptionKey = randomBytes(32);
  const env = {
    DATABASE_URL: databaseUrl(testDatabase.target),
    ENCRYPTION_KEYS: encryptionKey.toString("base64"),
    LOG_LEVEL: "warn",
    // A deadlock causes refusals at any time limit.
    ...PATIENT,
  };
  const keys = await createKeys(testDatabase, encryptionKey);
  const first = await processes.serve({ env });
  await query("INSERT INTO account (name, token_key_id) SELECT 'old', token_key_id FROM account");
  await query(`INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup)
    SELECT account.id, 'Customer', nextval('user_group_team_id'), 'old ' || n, 'Name ' || n, 'k', '', sha256(n::text::bytea)
    FROM account, generate_series(1, ${GROUPS}) AS n WHERE account.name = 'old'`);

  const onFirst = startLoad(first.url, keys, "first");
  await steady(onFirst);
  const next = new NextVersion9999999999999();
  owner.orm.migrations.push(next);
  expect(await migrateUp(owner)).toEqual([next.name]);
  await steady(onFirst);

  // A process starts with the schema of the next version, too.
  const second = await processes.serve({ env });
  const onSecond = startLoad(second.url, keys, "second");
  await Promise.all([steady(onFirst), steady(onSecond)]);
  await onFirst.stop();
  await verifyLoad(onFirst, query);
  first.kill("SIGTERM");
  expect((await first.ended).code).toBe(0);
  await steady(onSecond);
  await onSecond.stop();
  await verifyLoad(onSecond, query);

  // First the log, which has the reason of a refusal.
  expect(first.stderr() + second.stderr()).toBe("");
  for (const { journal } of [onFirst, onSecond]) {
    expect(journal.violations).toEqual([]);
    expect(journal.calls.filter((call) => call.refused)).toEqual([]);
  }
  const [{ filled }] = await query(
    "SELECT count(*)::integer AS filled FROM user_group WHERE provided_id LIKE 'old %' AND sample = name",
  );
  expect(filled).toBe(GROUPS);
}, 300_000);
