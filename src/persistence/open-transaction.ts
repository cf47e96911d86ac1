import type { PoolClient } from "pg";
import type { EntityManager, DataSource as Orm } from "typeorm";
import { PostgresDriver } from "typeorm/driver/postgres/PostgresDriver.js";
import { PostgresQueryRunner } from "typeorm/driver/postgres/PostgresQueryRunner.js";
import type { Transaction } from "../domain/transaction.js";
import { isLost, translateDatabaseError } from "./database-error.js";
import { isReadOnly, type Queryable, type Statement } from "./statement.js";

const UNDO_PART: Statement = {
  label: "savepoint_rollback",
  text: "ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part",
};

/** A transaction that is open on one connection: what runs in it counts together, or not at all. */
export class OpenTransaction implements Queryable, Transaction {
  readonly #orm: Orm;
  readonly #client: PoolClient;
  readonly #send: Queryable["run"];
  readonly #afterCommit: (() => void)[] = [];
  #manager: EntityManager | undefined;
  /** Settles when the statements so far have their answers: a connection takes one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param send runs one statement on the client */
  constructor(orm: Orm, client: PoolClient, send: Queryable["run"]) {
    this.#orm = orm;
    this.#client = client;
    this.#send = send;
  }

  async run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const answer = this.#last.then(() => this.#send<Row>(statement, values));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  /**
   * Runs a part of the transaction that may fail by itself: what it did is undone then, and the transaction goes on. Only one such part
   * runs at a time.
   */
  async nested<T>(work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    await this.run({ label: "savepoint", text: "SAVEPOINT part" }, []);
    try {
      const result = await work(this);
      await this.run({ label: "savepoint_release", text: "RELEASE SAVEPOINT part" }, []);
      return result;
    } catch (error) {
      if (!isLost(error)) await this.run(UNDO_PART, []);
      throw translateDatabaseError(error);
    }
  }

  /** Runs one statement as such a part; one that only reads has nothing to undo. */
  async runNested<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    if (isReadOnly(statement)) return this.run(statement, values);
    return this.nested(() => this.run<Row>(statement, values));
  }

  /** What works on entities within the transaction. */
  get manager(): EntityManager {
    const { driver } = this.#orm;
    if (!(driver instanceof PostgresDriver)) throw notPostgres();
    this.#manager ??= this.#orm.createEntityManager(new TransactionRunner(driver, this.#client));
    return this.#manager;
  }

  afterCommit(work: () => void): void {
    this.#afterCommit.push(work);
  }

  /** Does what was to follow the commit. */
  committed(): void {
    for (const work of this.#afterCommit) work();
  }
}

/** Has TypeORM use a connection that is in a transaction, and is given back by whoever opened that. */
class TransactionRunner extends PostgresQueryRunner {
  constructor(driver: PostgresDriver, client: PoolClient) {
    super(driver, "master");
    this.databaseConnection = client;
    this.isTransactionActive = true;
    this.transactionDepth = 1;
  }
}

export function notPostgres(): TypeError {
  return new TypeError("TypeORM runs on another driver than PostgreSQL's.");
}
