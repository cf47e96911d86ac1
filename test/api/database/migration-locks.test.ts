import { expect, test } from "vitest";
import {
  LOCK_MODES,
  type LockingMigration,
  locksOf,
  type MigrationLocks,
} from "../../../migrations/shared/locks.js";
import { inTransaction, runSeparately } from "../../../migrations/shared/online.js";
import { createMigrationDatabase } from "../../support/postgres/migration-database.js";

const { database } = await createMigrationDatabase();
type Migration = (typeof database)["orm"]["migrations"][number];

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
async function locksTakenBy(migration: Migration): Promise<MigrationLocks[]> {
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

/** Whether requests wait for the lock. */
function isBlocking([, mode]: [string, string]): boolean {
  return mode !== "SHARE UPDATE EXCLUSIVE";
}

/** Applies a migration. @returns what is wrong with its locks */
async function problemsOf(migration: Migration): Promise<string[]> {
  const stated = locksOf(migration) ?? {};
  const transactions = await locksTakenBy(migration);
  const taken: MigrationLocks = Object.assign({}, ...transactions);
  // Concurrent builds of indexes are outside of transactions.
  const expected = Object.entries(stated).filter(
    (lock) => migration.transaction !== false || isBlocking(lock) || lock[0] in taken,
  );
  const blocking = transactions.map((locks) => Object.entries(locks).filter(isBlocking).length);
  return [
    ...(JSON.stringify(expected.toSorted()) === JSON.stringify(Object.entries(taken).toSorted())
      ? []
      : [`takes ${JSON.stringify(taken)}`]),
    ...(Math.max(0, ...blocking) > 1 ? ["blocks requests on several tables at once"] : []),
  ];
}

const TEXTS = ["user_group", "data_source"].map(
  (table) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS sample text`,
);
const EXCLUSIVE = { user_group: "ACCESS EXCLUSIVE", data_source: "ACCESS EXCLUSIVE" } as const;

/** A change of two tables. */
const sample = (locks: MigrationLocks, transaction: boolean): LockingMigration => ({
  name: "Sample9999999999999",
  locks,
  transaction,
  up: (runner) => (transaction ? runner.query(TEXTS.join(";")) : runSeparately(runner, TEXTS)),
  down: async () => undefined,
});

test("every migration states its locks, and requests never wait for more than one table of a transaction", async () => {
  const found: Record<string, string[]> = {};
  for (const migration of database.orm.migrations) found[migration.name ?? ""] = await problemsOf(migration);
  expect(Object.entries(found).filter(([, problems]) => problems.length > 0)).toEqual([]);

  expect(await problemsOf(sample(EXCLUSIVE, false))).toEqual([]);
  expect(await problemsOf(sample({ user_group: "SHARE" }, false))).toEqual([
    `takes ${JSON.stringify(EXCLUSIVE)}`,
  ]);
  expect(await problemsOf(sample(EXCLUSIVE, true))).toEqual(["blocks requests on several tables at once"]);
});
