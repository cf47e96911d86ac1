import { afterAll, expect, test } from "vitest";
import { Database } from "../../../src/persistence/database/database.js";
import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import type { RowScope } from "../../../src/persistence/shared/row-scope.js";
import type { Statement } from "../../../src/persistence/shared/statement.js";
import { createTestDatabase } from "../../support/postgres/test-database.js";

const { target, drop } = await createTestDatabase();
afterAll(drop);

const [A, B, C] = [1, 2, 3];
const OPTIONS = { connectTimeoutMs: 60_000, statementTimeoutMs: 10_000 };

async function withPool(
  options: Partial<DatabaseOptions> & Pick<DatabaseOptions, "poolSize">,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const database = await Database.connect({ ...OPTIONS, ...options, target });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

/** Transactions that each use a connection from their start until `end`. */
class Transactions {
  readonly #database: Database;
  /** The scopes of the transactions, in the order in which they started. */
  readonly started: (number | "operator")[] = [];
  readonly #ends: (() => void)[] = [];
  readonly #outcomes: Promise<void>[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  /** Opens a transaction for each account, or for the operator. */
  open(...accounts: readonly (number | "operator")[]): void {
    for (const account of accounts) {
      const scope: RowScope = account === "operator" ? account : { accountId: account };
      const outcome = this.#database.transaction(scope, async () => {
        this.started.push(account);
        await new Promise<void>((resolve) => this.#ends.push(resolve));
      });
      this.#outcomes.push(outcome);
    }
  }

  async untilStarted(count: number): Promise<void> {
    await expect.poll(() => this.started.length).toBe(count);
  }

  /** Ends the transaction that started first; the next one gets its connection. */
  async endFirst(): Promise<void> {
    const count = this.started.length;
    this.#ends.shift()?.();
    if (this.#database.poolUsage.waiting > 0) await this.untilStarted(count + 1);
  }

  async endAll(): Promise<void> {
    while (this.#ends.length > 0) await this.endFirst();
    await Promise.all(this.#outcomes);
  }
}

test("an account may use all connections, but the next free one is for an account that waits", async () => {
  await withPool({ poolSize: 3 }, async (database) => {
    const transactions = new Transactions(database);
    transactions.open(A, A, A, A, A);
    await transactions.untilStarted(3);
    transactions.open(B, "operator", B);
    expect(database.poolUsage).toMatchObject({ max: 3, used: 3, waiting: 5 });
    await transactions.endAll();
    // A waits until it uses no more than the others that wait; then they take turns.
    expect(transactions.started).toEqual([A, A, A, B, "operator", A, B, A]);
    expect(database.poolUsage).toMatchObject({ used: 0, waiting: 0 });
  });
});

test("accounts take turns with a single connection", async () => {
  await withPool({ poolSize: 1 }, async (database) => {
    const transactions = new Transactions(database);
    transactions.open(A, A, A, A);
    await transactions.untilStarted(1);
    transactions.open(B, B, C);
    await transactions.endAll();
    expect(transactions.started).toEqual([A, A, B, C, A, B, A]);
  });
});

test("an account may use half of the queue", async () => {
  await withPool({ poolSize: 1, queueSize: 4 }, async (database) => {
    const transactions = new Transactions(database);
    transactions.open(A, A, A);
    await transactions.untilStarted(1);
    const refused = { code: "unavailable", retryAfter: 1 };
    await expect(database.transaction({ accountId: A }, async () => undefined)).rejects.toMatchObject(
      refused,
    );
    transactions.open(B, C);
    await expect(database.transaction("operator", async () => undefined)).rejects.toMatchObject(refused);
    await transactions.endAll();
    expect(transactions.started).toEqual([A, A, B, C, A]);
  });
});

test("a caller that has waited too long loses its place", async () => {
  await withPool({ poolSize: 1, connectTimeoutMs: 2000 }, async (database) => {
    const transactions = new Transactions(database);
    transactions.open(A);
    await transactions.untilStarted(1);
    const late = database.transaction({ accountId: B }, async () => undefined);
    await expect(late).rejects.toMatchObject({ code: "unavailable", retryAfter: 1 });
    expect(database.poolUsage).toMatchObject({ used: 1, waiting: 0 });
    await transactions.endAll();
    await database.transaction({ accountId: B }, async () => undefined);
  });
});

test.each([{ pooled: false }, { pooled: true }])(
  "searches have a shorter timeout: %o",
  async ({ pooled }) => {
    await withPool({ poolSize: 1, pooled }, async (database) => {
      const limit = async (options: Pick<Statement, "isSearch" | "name">) => {
        const text = "SELECT current_setting('statement_timeout') AS timeout";
        return database.of({ accountId: A }).run({ ...options, access: "read", text }, []);
      };
      expect(await limit({ isSearch: true })).toEqual([{ timeout: "5s" }]);
      expect(await limit({ isSearch: true, name: "named_search" })).toEqual([{ timeout: "5s" }]);
      expect(await limit({})).toEqual([{ timeout: "10s" }]);
    });
  },
);
