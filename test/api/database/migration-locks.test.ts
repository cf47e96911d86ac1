import { afterAll, beforeAll, expect, test } from "vitest";
import { LANDED_LOCKS } from "../../../migrations/shared/landed-locks.js";
import { LOCK_MODES, type MigrationLocks } from "../../../migrations/shared/locks.js";
import { locksOf } from "../../../migrations/shared/stated-locks.js";
import { inTransaction } from "../../../migrations/shared/transactions.js";
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

/** Applies a migration. @returns for each of its transactions the strongest lock on each table that existed before the migration */
async function locksTakenBy(migration: Database["orm"]["migrations"][number]): Promise<MigrationLocks[]> {
  const runner = database.orm.createQueryRunner();
  const [{ tables }] = await runner.query(TABLES);
  const transactions: MigrationLocks[] = [];
  const commit = runner.commitTransaction.bind(runner);
  runner.commitTransaction = async () => {
    const taken: { table: string; mode: string }[] = await runner.query(TAKEN, [tables]);
    const locks = LOCK_MODES.flatMap((stated) =>
      taken.filter(({ mode }) => nameOf(mode) === stated).map(({ table }) => [table, stated]),
    );
    transactions.push(Object.fromEntries(locks));
    await commit();
  };
  try {
    if (migration.transaction === false) await migration.up(runner);
    else await inTransaction(runner, () => migration.up(runner));
    return transactions;
  } finally {
    await runner.release();
  }
}

/** Locks tables that foreign keys connect together, when no request uses one of them (`lockTables`). */
const LOCKS_CONNECTED_TABLES = "SixtyFourBitIds1764950000000";

/** Whether requests wait for the lock. */
function isBlocking([, mode]: [string, string]): boolean {
  return mode !== "SHARE UPDATE EXCLUSIVE";
}

test("every migration states its locks, and requests never wait for more than one table of a transaction", async () => {
  const differences: Record<string, object> = {};
  for (const migration of database.orm.migrations) {
    const name = migration.name ?? "";
    const stated = locksOf(migration);
    const transactions = await locksTakenBy(migration);
    const taken = Object.assign({}, ...transactions);
    // Concurrent builds of indexes are outside of transactions.
    const expected = Object.fromEntries(
      Object.entries(stated ?? {}).filter(
        (lock) => migration.transaction !== false || isBlocking(lock) || lock[0] in taken,
      ),
    );
    if (!stated || JSON.stringify(sorted(expected)) !== JSON.stringify(sorted(taken)))
      differences[name] = { stated, taken };
    // The others are older than the rule.
    if (!(name in LANDED_LOCKS) && name !== LOCKS_CONNECTED_TABLES)
      for (const locks of transactions)
        expect(Object.entries(locks).filter(isBlocking).length, name).toBeLessThan(2);
    if (name.startsWith("CreateCoreTables"))
      await database.run(
        { access: "write", text: "INSERT INTO account (name, token_key_id) VALUES ('one', 'k')" },
        [],
      );
  }
  expect(differences).toEqual({});
});

function sorted(locks: MigrationLocks) {
  return Object.entries(locks).toSorted();
}
