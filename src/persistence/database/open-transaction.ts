import type { PoolClient } from "pg";
import type { EntityManager, DataSource as Orm } from "typeorm";
import type { Transaction } from "../../domain/accounts/caller.js";
import { type Deadline, requireTime } from "../../domain/shared/deadline.js";
import { changeThenRecord } from "../shared/audit-recording.js";
import { isConnectionUnusable, translateDatabaseError } from "../shared/database-error.js";
import { createEntityManager } from "../shared/entity-manager.js";
import { notCommitted } from "../shared/pipelined-transaction.js";
import { isReadOnly, type Queryable, type Statement } from "../shared/statement.js";

const ROLLBACK_SAVEPOINT: Statement = {
  label: "savepoint_rollback",
  access: "write",
  text: "ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part",
};

/** A transaction that is open on one connection. */
export class OpenTransaction implements Queryable, Transaction {
  readonly userGroupIds = new Set<number>();
  readonly #afterCommit: (() => void)[] = [];
  #manager: EntityManager | undefined;
  /** Settles when all statements so far have completed: a connection runs one at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #failure: unknown;

  /**
   * @param send runs one statement on the client
   * @param options.deadline no statement, including COMMIT, is sent after it
   * @param options.recordsSeparately whether changes and their records are statements of their own
   */
  constructor(
    private readonly orm: Orm,
    private readonly client: PoolClient,
    private readonly send: Queryable["run"],
    private readonly options: {
      readonly deadline: Deadline | undefined;
      readonly recordsSeparately: boolean;
    },
  ) {}

  /** The error that aborted the transaction; undefined while it can be committed. */
  get failure(): unknown {
    return this.#failure;
  }

  async run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const { change } = statement;
    if (change !== undefined && this.options.recordsSeparately) {
      return changeThenRecord<Row>(this, { ...statement, change }, values);
    }
    return this.#query(() => this.send<Row>(statement, values));
  }

  /**
   * Runs `work` in a savepoint: if it fails, its changes are rolled back and the transaction continues. Calls must not overlap, as they
   * share the savepoint's name.
   */
  async nested<T>(work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    await this.run({ label: "savepoint", access: "write", text: "SAVEPOINT part" }, []);
    try {
      const result = await work(this);
      await this.run({ label: "savepoint_release", access: "write", text: "RELEASE SAVEPOINT part" }, []);
      return result;
    } catch (error) {
      await this.#enqueue(() => this.#rollbackSavepoint());
      throw error;
    }
  }

  /** Runs one statement in a savepoint; a read needs none. */
  async runNested<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    if (isReadOnly(statement)) return this.run(statement, values);
    return this.nested(() => this.run<Row>(statement, values));
  }

  /** TypeORM entity manager within the transaction. */
  get manager(): EntityManager {
    this.#manager ??= createEntityManager(this.orm, this, { access: "write", label: "entities" });
    return this.#manager;
  }

  afterCommit(work: () => void): void {
    this.#afterCommit.push(work);
  }

  /**
   * Commits, then runs the `afterCommit` callbacks.
   * @throws the error that prevented it; DomainError `unavailable` also when the connection was lost and the outcome is unknown
   */
  async commit(): Promise<void> {
    const { command } = await this.#query(() => this.client.query("COMMIT"));
    if (command !== "COMMIT") throw notCommitted(command);
    for (const work of this.#afterCommit) work();
  }

  /** Runs a statement after the previous ones and translates its error. TypeORM's statements pass here too. */
  async #query<T>(send: () => Promise<T>): Promise<T> {
    return this.#enqueue(() => this.#attempt(send));
  }

  async #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #attempt<T>(send: () => Promise<T>): Promise<T> {
    // PostgreSQL would reject the statement as well, but without the original error.
    if (this.#failure !== undefined) throw this.#failure;
    try {
      requireTime(this.options.deadline);
      return await send();
    } catch (error) {
      this.#failure = translateDatabaseError(error);
      throw this.#failure;
    }
  }

  async #rollbackSavepoint(): Promise<void> {
    if (isConnectionUnusable(this.#failure)) return;
    this.#failure = undefined;
    await this.#attempt(() => this.send(ROLLBACK_SAVEPOINT, []));
  }
}

/** Returns the open transaction of a scope. */
export function requireOpenTransaction(transaction: Transaction): OpenTransaction {
  if (transaction instanceof OpenTransaction) return transaction;
  throw new TypeError("The transaction does not belong to this database.");
}
