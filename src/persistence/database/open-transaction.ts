import type { PoolClient } from "pg";
import type { EntityManager, DataSource as Orm } from "typeorm";
import type { Transaction } from "../../domain/requests/transaction.js";
import { type Deadline, requireTime } from "../../domain/shared/deadline.js";
import { isLost, translateDatabaseError } from "../shared/database-error.js";
import { createEntityManager } from "../shared/entity-manager.js";
import type { RowScope } from "../shared/row-scope.js";
import { isReadOnly, type Queryable, type Statement } from "../shared/statement.js";

const UNDO_PART: Statement = {
  label: "savepoint_rollback",
  access: "write",
  text: "ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part",
};

/** A transaction that is open on one connection: what runs in it counts together, or not at all. */
export class OpenTransaction implements Queryable, Transaction {
  readonly #orm: Orm;
  readonly #client: PoolClient;
  readonly #send: Queryable["run"];
  readonly #deadline: Deadline | undefined;
  readonly #afterCommit: (() => void)[] = [];
  #manager: EntityManager | undefined;
  /** Settles when the statements so far have their answers: a connection takes one at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #failure: unknown;

  /**
   * @param send runs one statement on the client
   * @param deadline after which no statement is sent, nor anything committed
   */
  constructor(orm: Orm, client: PoolClient, send: Queryable["run"], deadline: Deadline | undefined) {
    this.#orm = orm;
    this.#client = client;
    this.#send = send;
    this.#deadline = deadline;
  }

  /** The error of a statement after which nothing can be committed; undefined while the transaction can be committed. */
  get failure(): unknown {
    return this.#failure;
  }

  async run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.#query(() => this.#send<Row>(statement, values));
  }

  /**
   * Runs a part of the transaction that may fail by itself: what it did is undone then, and the transaction goes on. Only one such part
   * runs at a time.
   */
  async nested<T>(work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    await this.run({ label: "savepoint", access: "write", text: "SAVEPOINT part" }, []);
    try {
      const result = await work(this);
      await this.run({ label: "savepoint_release", access: "write", text: "RELEASE SAVEPOINT part" }, []);
      return result;
    } catch (error) {
      await this.#inTurn(() => this.#undoPart());
      throw error;
    }
  }

  /** Runs one statement as such a part; one that only reads has nothing to undo. */
  async runNested<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    if (isReadOnly(statement)) return this.run(statement, values);
    return this.nested(() => this.run<Row>(statement, values));
  }

  /** What works on entities within the transaction. */
  get manager(): EntityManager {
    this.#manager ??= createEntityManager(this.#orm, this, { access: "write", label: "entities" });
    return this.#manager;
  }

  afterCommit(work: () => void): void {
    this.#afterCommit.push(work);
  }

  /**
   * Commits, then runs what was to follow the commit.
   * @throws the error that prevented it; DomainError `unavailable` also when the connection is lost, and the outcome is unknown
   */
  async commit(): Promise<void> {
    const { command } = await this.#query(() => this.#client.query("COMMIT"));
    // PostgreSQL commits no transaction in which a statement has failed: it answers ROLLBACK, without an error.
    if (command !== "COMMIT")
      throw new Error(`PostgreSQL answered COMMIT with ${command}: nothing was written.`);
    for (const work of this.#afterCommit) work();
  }

  /** Every statement of the transaction passes here, TypeORM's too: in turn, and with its errors translated. */
  async #query<T>(send: () => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#attempt(send));
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #attempt<T>(send: () => Promise<T>): Promise<T> {
    // PostgreSQL would refuse the statement too, but without the reason.
    if (this.#failure !== undefined) throw this.#failure;
    try {
      requireTime(this.#deadline);
      return await send();
    } catch (error) {
      this.#failure = translateDatabaseError(error);
      throw this.#failure;
    }
  }

  async #undoPart(): Promise<void> {
    if (isLost(this.#failure)) return;
    this.#failure = undefined;
    await this.#attempt(() => this.#send(UNDO_PART, []));
  }
}

/** The open transaction that a scope is a part of, if any. */
export function openTransactionOf(scope: RowScope): OpenTransaction | undefined {
  if (scope === "operator" || !("accountId" in scope)) return undefined;
  const { transaction } = scope;
  if (transaction === undefined || transaction instanceof OpenTransaction) return transaction;
  throw new TypeError("The transaction does not belong to this database.");
}
