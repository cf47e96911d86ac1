import { afterAll, beforeAll, expect, test } from "vitest";
import { LOCK_MODES, type MigrationLocks } from "../../../migrations/shared/locks.js";
import { locksOf } from "../../../migrations/shared/stated-locks.js";
import { Database } from "../../../src/persistence/database/database.js";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.js";

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase("empty");
  database = await Database.connect({
    target: testDatabase.owner,
    poolSize: 2,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 0,
  });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const TABLES = `SELECT coalesce(array_agg(oid::integer), '{}') AS tables FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`;
const TAKEN = `SELECT relation::regclass::text AS "table", mode FROM pg_locks
  WHERE pid = pg_backend_pid() AND locktype = 'relation' AND relation = ANY ($1::integer[]::oid[])`;

/** `AccessExclusiveLock` becomes `ACCESS EXCLUSIVE`. */
function nameOf(mode: string): string {
  return mode
    .replace(/Lock$/, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase();
}

/** Applies a migration within a transaction. @returns the strongest lock on each table that existed before */
async function locksTakenBy(migration: Database["orm"]["migrations"][number]): Promise<MigrationLocks> {
  const runner = database.orm.createQueryRunner();
  try {
    const [{ tables }] = await runner.query(TABLES);
    await runner.startTransaction();
    await migration.up(runner);
    const taken: { table: string; mode: string }[] = await runner.query(TAKEN, [tables]);
    await runner.commitTransaction();
    return Object.fromEntries(
      LOCK_MODES.flatMap((stated) =>
        taken.filter(({ mode }) => nameOf(mode) === stated).map(({ table }) => [table, stated]),
      ),
    );
  } finally {
    await runner.release();
  }
}

test("every migration states the locks that it takes in a database with accounts", async () => {
  const differences: Record<string, object> = {};
  for (const migration of database.orm.migrations) {
    const stated = locksOf(migration);
    if (migration.transaction === false) {
      const runner = database.orm.createQueryRunner();
      await migration.up(runner).finally(() => runner.release());
      expect(stated, `${migration.name} must state its locks`).toBeDefined();
      continue;
    }
    const taken = await locksTakenBy(migration);
    if (JSON.stringify(sorted(stated)) !== JSON.stringify(sorted(taken)))
      differences[migration.name ?? ""] = { stated, taken };
    if (migration.name?.startsWith("CreateCoreTables"))
      await database.run(
        { access: "write", text: "INSERT INTO account (name, token_key_id) VALUES ('one', 'k')" },
        [],
      );
  }
  expect(differences).toEqual({});
});

function sorted(locks: MigrationLocks | undefined) {
  return locks && Object.entries(locks).toSorted();
}
