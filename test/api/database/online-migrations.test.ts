import type { QueryRunner } from "typeorm";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { DeriveFromGroups1795864200000 } from "../../../migrations/1795864200000-derive-from-groups.js";
import type { LockingMigration } from "../../../migrations/shared/locks.js";
import { backfill, buildIndex, dropIndex } from "../../../migrations/shared/online.js";
import { migrateDown, planMigrations } from "../../../src/persistence/database/migrator.js";
import { expectDerivedColumns } from "../../support/postgres/derived-columns.js";
import { createMigrationDatabase } from "../../support/postgres/migration-database.js";

const { database, query, up } = await createMigrationDatabase();
const INDEX = "user_group_sample_ix";
const ON = "user_group (account_id, environment, sample)";
/** More than one batch in each tenant. */
const ROWS = 2_500;

/** A change of a big table in steps: an index and values that the rows lack. */
class SampleColumn9999999999999 implements LockingMigration {
  readonly name = "SampleColumn9999999999999";
  readonly transaction = false;
  readonly locks = { user_group: "SHARE UPDATE EXCLUSIVE" } as const;
  isInterrupted = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildIndex(queryRunner, INDEX, ON);
    await backfill(queryRunner, { table: "user_group", set: "sample = name", where: "sample IS NULL" });
    if (this.isInterrupted) throw new Error("interrupted");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, INDEX);
  }
}

const sample = new SampleColumn9999999999999();

beforeAll(async () => {
  await up();
  await query("ALTER TABLE user_group ADD COLUMN sample text");
  await query("INSERT INTO account (name, token_key_id) VALUES ('one', 'k'), ('two', 'k')");
  await query(`INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup)
    SELECT account.id, environment::environment, nextval('user_group_team_id'), environment || n, 'Name ' || n, 'k', '',
      sha256((environment || n)::bytea)
    FROM account, unnest('{Customer,Testing}'::text[]) AS environment, generate_series(1, ${ROWS}) AS n`);
  database.orm.migrations.push(sample);
});
beforeEach(async () => {
  await query(`DELETE FROM schema_migration WHERE name = '${sample.name}'`);
  await query(`DROP INDEX IF EXISTS ${INDEX}`);
  await query("UPDATE user_group SET sample = NULL");
  sample.isInterrupted = false;
});

async function state() {
  const [index] = await query(
    `SELECT indexrelid::integer AS id, indisvalid AS "isValid", indisunique AS "isUnique" FROM pg_index
      WHERE indexrelid = to_regclass($1)`,
    [INDEX],
  );
  const [rows] = await query(
    "SELECT count(sample)::integer AS filled, count(*)::integer AS all FROM user_group",
  );
  return { index, rows };
}

test("a migration outside a transaction continues after an interruption, for an owner without superuser rights", async () => {
  sample.isInterrupted = true;
  await expect(up()).rejects.toThrow("interrupted");
  const before = await state();
  expect(before).toMatchObject({ index: { isValid: true }, rows: { filled: 4 * ROWS, all: 4 * ROWS } });
  sample.isInterrupted = false;
  expect(await up()).toEqual([sample.name]);
  expect(await state()).toEqual(before);
  expect(await migrateDown(database)).toBe(sample.name);
  expect((await state()).index).toBeUndefined();
});

test("the invalid index of an interrupted build is replaced", async () => {
  // Fails on the equal rows, and leaves the index as a crash does.
  await expect(query(`CREATE UNIQUE INDEX CONCURRENTLY ${INDEX} ON user_group (account_id)`)).rejects.toThrow(
    "could not create unique index",
  );
  expect((await state()).index).toMatchObject({ isValid: false, isUnique: true });
  await up();
  expect((await state()).index).toMatchObject({ isValid: true, isUnique: false });
});

test("a plan contains each statement once and changes nothing", async () => {
  const before = await state();
  const [planned, ...others] = await planMigrations(database);
  expect(others).toEqual([]);
  expect(planned).toMatchObject({ name: sample.name, locks: sample.locks, isTransactional: false });
  expect(planned?.statements).toEqual([
    `CREATE INDEX CONCURRENTLY ${INDEX} ON ${ON}`,
    expect.stringMatching(/UPDATE user_group SET sample = name/),
  ]);
  expect(await state()).toEqual(before);
});

test("columns for searches are derived for existing groups, also by another run after an interruption", async () => {
  await query(`INSERT INTO data_source (account_id, environment, provided_id, name)
    SELECT account.id, environment::environment, 's', 'S' FROM account, unnest('{Customer,Testing}'::text[]) AS environment`);
  await query(`INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
    SELECT account_id, environment, user_group.id, 's', source.id
    FROM user_group JOIN data_source AS source USING (account_id, environment) WHERE user_group.id % 3 = 0`);
  await query("UPDATE user_group SET name = 'Épée ' || id, mapping_version = 2 WHERE id % 2 = 0");
  const derive = new DeriveFromGroups1795864200000();
  const runner = database.orm.createQueryRunner();
  try {
    await derive.down(runner);
    await derive.up(runner);
    await expectDerivedColumns({ query });
    await query(
      "UPDATE user_group SET search_text = NULL, search_hash = NULL, mapped_version = NULL WHERE id % 5 = 0",
    );
    await derive.up(runner);
  } finally {
    await runner.release();
  }
  await expectDerivedColumns({ query });
});
