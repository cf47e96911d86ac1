import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import type { DataSource, EntityManager } from "typeorm";
import { PostgresDriver } from "typeorm/driver/postgres/PostgresDriver.js";
import type { Actor } from "../../domain/accounts/actor.js";
import type { Tenant } from "../../domain/accounts/caller.js";
import { type Deadline, requireTime } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { DatabaseMetrics, PoolUsage } from "../../telemetry/database-metrics.js";
import { countOnly } from "../../telemetry/telemetry.js";
import { inSpan, type Tracing } from "../../telemetry/tracing.js";
import { isCutOff, isLost, isOutdatedPlan, translateDatabaseError } from "../shared/database-error.js";
import type { DatabaseOptions } from "../shared/database-options.js";
import {
  createScopeSetter,
  deadlineOf,
  planModeOf,
  type RowScope,
  type ScopeSetter,
  type ScopeSettings,
  scopeStatement,
  settingsOf,
} from "../shared/row-scope.js";
import { runScoped } from "../shared/scoped-query.js";
import { isReadOnly, type Queryable, type Statement, withoutName } from "../shared/statement.js";
import { watchStatement } from "../shared/statement-watch.js";
import { TenantDb } from "../shared/tenant-db.js";
import { TEXT_ROWS } from "../shared/value-parsers.js";
import { OpenTransaction, openTransactionOf } from "./open-transaction.js";
import { createOrm, timeoutsOf } from "./orm.js";
import { replicaReadsOf } from "./replica-reads.js";

/** How long to wait until a statement that was cut off runs again. */
const RETRY_AFTER_MS = 20;
const MS_PER_S = 1000;

/** The connections to PostgreSQL: one pool, used by TypeORM for entities and directly for the hot statements. */
export class Database implements Queryable {
  readonly orm: DataSource;
  readonly #pool: Pool;
  readonly #setter: ScopeSetter;
  readonly #queueSize: number;
  readonly #onStatement: (text: string) => void;
  readonly #metrics: DatabaseMetrics;
  readonly #tracing: Tracing | undefined;

  private constructor(orm: DataSource, pool: Pool, setter: ScopeSetter, options: DatabaseOptions) {
    this.orm = orm;
    this.#pool = pool;
    this.#setter = setter;
    this.#queueSize = options.queueSize ?? Number.POSITIVE_INFINITY;
    this.#onStatement = options.onStatement ?? (() => undefined);
    const { metrics, tracing } = options.telemetry ?? countOnly();
    this.#metrics = metrics.databases.of(options.server ?? "primary");
    this.#metrics.pools.add(this);
    this.#tracing = tracing;
  }

  /** Connects. @throws the driver's error when the database is out of reach or refuses us */
  static async connect(options: DatabaseOptions): Promise<Database> {
    const setter = createScopeSetter(options.pooled ? timeoutsOf(options) : null);
    const orm = createOrm(options, setter);
    await orm.initialize();
    if (!(orm.driver instanceof PostgresDriver))
      throw new TypeError("TypeORM does not use PostgreSQL's driver.");
    const pool: Pool = orm.driver.master;
    return new Database(orm, pool, setter, options);
  }

  /** How the connections are used at the moment. */
  get poolUsage(): PoolUsage {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return {
      most: options.max,
      used: totalCount - idleCount,
      idle: idleCount,
      waiting: waitingCount,
    };
  }

  /** Runs a statement that touches no rows of an account: row level security hides them all. */
  async run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.#run(null, undefined, statement, values);
  }

  /**
   * Gives what runs single statements within a scope of rows: those that only read on the scope's replica, where it has one.
   * @param deadline after which none is sent
   */
  of(scope: RowScope, deadline = deadlineOf(scope)): Queryable {
    const open = openTransactionOf(scope);
    if (open) return { run: (statement, values) => open.runNested(statement, values) };
    const settings = settingsOf(scope);
    const here: Queryable = {
      run: (statement, values) => this.#run(settings, deadline, statement, values),
    };
    const there = replicaReadsOf(scope);
    if (!there) return here;
    return { run: (statement, values) => (isReadOnly(statement) ? there : here).run(statement, values) };
  }

  /** The database as a tenant sees it: within its transaction, or on its replica, where it has one. */
  for(tenant: Tenant & { readonly actor?: Actor }): TenantDb {
    return new TenantDb(tenant, this.of(tenant), this.orm, (work) => this.transaction(tenant, work));
  }

  /**
   * Runs statements in one transaction: all of them count, or none does; as a part of the scope's own, where it has one.
   * A transaction opens in a service only.
   * @throws what `work` throws, after rolling back
   */
  async transaction<T>(scope: RowScope, work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    const open = openTransactionOf(scope);
    if (open) return open.nested(work);
    const run = () => this.#transaction(scope, work);
    return inSpan(this.#tracing, "transaction", {}, run);
  }

  async #transaction<T>(scope: RowScope, work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    const deadline = deadlineOf(scope);
    return this.#withClient(deadline, async (client, drop) => {
      const send: Queryable["run"] = async (statement, values) => {
        this.#onStatement(statement.text);
        const config = { ...this.#config(statement), values: [...values] };
        return (await watchStatement(this.#metrics, this.#tracing, statement, () => client.query(config)))
          .rows;
      };
      const transaction = new OpenTransaction(this.orm, client, send, deadline);
      try {
        // One message: the scope costs no round trip of its own.
        await client.query(`BEGIN; ${scopeStatement(this.#setter, scope)}`);
        const result = await work(transaction);
        await transaction.commit();
        return result;
      } catch (error) {
        // `work` may report something else than the loss of the connection, on which a ROLLBACK would have to time out first.
        const loss = [error, transaction.failure].find(isLost);
        if (loss) drop(loss);
        // A connection that cannot even roll back is of no more use.
        else await client.query("ROLLBACK").catch(drop);
        throw error;
      }
    });
  }

  /** Works on entities through TypeORM, where speed does not matter, in one transaction. */
  async entities<T>(scope: RowScope, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.transaction(scope, ({ manager }) => work(manager));
  }

  async #run<Row extends object>(
    settings: ScopeSettings | null,
    deadline: Deadline | undefined,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    this.#onStatement(statement.text);
    const config = { ...this.#config(statement), values: [...values] };
    const mode = planModeOf(statement, "name" in config);
    const attempt = () =>
      this.#withClient(deadline, (client) =>
        watchStatement(this.#metrics, this.#tracing, statement, async () => {
          if (!settings) return (await client.query<Row>(config)).rows;
          return runScoped<Row>(client, config, [...settings, mode], this.#setter);
        }),
      );
    try {
      return await attempt();
    } catch (error) {
      const isOutdated = statement.name !== undefined && isOutdatedPlan(error);
      // What did not run may run again, and what only reads; of all else nobody knows whether it has happened.
      if (!isOutdated && !(isCutOff(error) && isReadOnly(statement))) throw error;
      this.#metrics.repeatedStatements.value += 1;
      // The next connection may have prepared it for the schema of before too.
      if (isOutdated) return this.#run(settings, deadline, withoutName(statement), values);
      // Where one connection was cut, others were too: the pool notices that meanwhile.
      await sleep(RETRY_AFTER_MS);
      return attempt();
    }
  }

  /** @param work may drop the connection, which is then closed rather than pooled */
  async #withClient<T>(
    deadline: Deadline | undefined,
    work: (client: PoolClient, drop: (error: Error) => void) => Promise<T>,
  ): Promise<T> {
    requireTime(deadline);
    if (this.#pool.waitingCount >= this.#queueSize) {
      this.#metrics.queueRefusals.value += 1;
      throw overload();
    }
    try {
      const client = await this.#connection();
      let broken: Error | undefined;
      const drop = (error: Error) => {
        broken = error;
      };
      // The pool listens to idle connections only: one that is lost now would otherwise end the process.
      client.on("error", drop);
      try {
        requireTime(deadline);
        return await work(client, drop);
      } catch (error) {
        if (isLost(error)) drop(error);
        throw error;
      } finally {
        client.off("error", drop);
        client.release(broken);
      }
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  /** Waits for a connection. */
  async #connection(): Promise<PoolClient> {
    const askedAt = performance.now();
    try {
      return await this.#pool.connect();
    } finally {
      this.#metrics.connectionWaits.record((performance.now() - askedAt) / MS_PER_S);
    }
  }

  #config({ name, text, rows }: Statement) {
    return {
      text,
      ...(name !== undefined && this.#setter.name !== null ? { name } : {}),
      ...(rows === "text" ? TEXT_ROWS : {}),
    };
  }

  /** Ends every connection, once the statements under way are done. */
  async close(): Promise<void> {
    this.#metrics.pools.delete(this);
    await this.orm.destroy();
  }
}

function overload(): DomainError {
  return new DomainError("unavailable", "The service has too much to do at the moment. Try again shortly.", {
    retryAfter: 1,
  });
}
