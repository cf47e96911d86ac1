import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, QueryConfig } from "pg";
import type { DataSource, EntityManager } from "typeorm";
import { PostgresDriver } from "typeorm/driver/postgres/PostgresDriver.js";
import type { Actor, Tenant } from "../../domain/accounts/caller.js";
import { type Deadline, requireTime } from "../../domain/shared/deadline.js";
import type { PoolUsage } from "../../telemetry/database-metrics.js";
import { countOnly } from "../../telemetry/telemetry.js";
import { inSpan } from "../../telemetry/tracing.js";
import {
  isConnectionLost,
  isConnectionUnusable,
  isOutdatedPlan,
  isTransactionConflict,
} from "../shared/database-error.js";
import { type DatabaseOptions, localSettings, sharesLookups } from "../shared/database-options.js";
import { createEntityManager } from "../shared/entity-manager.js";
import { runInTransaction } from "../shared/pipelined-transaction.js";
import {
  accountOf,
  beginWithin,
  deadlineOf,
  IN_INDEX_ORDER,
  planModeOf,
  type RowScope,
} from "../shared/row-scope.js";
import { isReadOnly, type Queryable, type Statement, withoutName } from "../shared/statement.js";
import { type Instruments, instrumentStatement } from "../shared/statement-instrumentation.js";
import { TenantDb } from "../shared/tenant-db.js";
import { TEXT_ROWS } from "../shared/value-parsers.js";
import { hasCitus } from "./citus.js";
import { ConnectionPool } from "./connection-pool.js";
import { LookupConnection } from "./lookup-connection.js";
import { OpenTransaction, requireOpenTransaction } from "./open-transaction.js";
import { createOrm } from "./orm.js";

/** A statement as it is sent, and the settings of its transaction beside those of its scope. */
interface PreparedStatement {
  readonly query: QueryConfig;
  readonly settings: string;
}

/** Delay before a statement is retried whose connection was lost or which conflicted with another. */
const RETRY_AFTER_MS = 20;

/** The connections to one PostgreSQL server: a pool, shared with TypeORM, and connections for point lookups. */
export class Database implements Queryable {
  readonly #pool: ConnectionPool;
  /** Settings of each transaction behind a transaction-mode pooler, which keeps none of the session; null without a pooler. */
  readonly #localSettings: readonly string[] | null;
  /** On Citus, settings of each transaction that takes locks: they are on the workers, which get no settings of the session. */
  readonly #lockSettings: readonly string[];
  readonly #prepared = new WeakMap<Statement, PreparedStatement>();
  readonly #lookups: LookupConnection | undefined;
  readonly #instruments: Instruments;

  private constructor(
    readonly orm: DataSource,
    pool: Pool,
    readonly hasCitus: boolean,
    private readonly options: DatabaseOptions,
  ) {
    this.#localSettings = options.pooled ? localSettings(options) : null;
    this.#lockSettings = hasCitus ? [`SET LOCAL lock_timeout = ${options.lockTimeoutMs ?? 0}`] : [];
    this.#lookups = sharesLookups(options) ? new LookupConnection(options) : undefined;
    const { metrics, tracing } = options.telemetry ?? countOnly();
    this.#instruments = { metrics: metrics.database, tracing };
    metrics.database.addPool(this);
    this.#pool = new ConnectionPool(pool, options.queueSize ?? Number.POSITIVE_INFINITY, this.#instruments);
  }

  /** @throws the driver's error when the database is unreachable or rejects the connection */
  static async connect(options: DatabaseOptions): Promise<Database> {
    const orm = createOrm(options);
    await orm.initialize();
    if (!(orm.driver instanceof PostgresDriver))
      throw new TypeError("TypeORM does not use PostgreSQL's driver.");
    const pool: Pool = orm.driver.master;
    return new Database(orm, pool, await hasCitus(orm), options);
  }

  get poolUsage(): PoolUsage {
    const { max, used, ...usage } = this.#pool.usage;
    return { ...usage, max: max + (this.#lookups ? 1 : 0), used: used + (this.#lookups?.isUsed ? 1 : 0) };
  }

  /** Runs a statement without a scope: row-level security hides the rows of all accounts. */
  async run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.#run(null, undefined, statement, values);
  }

  /**
   * Returns a queryable that runs single statements within a row scope, in its open transaction if it has one.
   * @param deadline no statement is sent after it
   */
  of(scope: RowScope, deadline = deadlineOf(scope)): Queryable {
    if (scope !== "operator" && "transaction" in scope && scope.transaction) {
      const open = requireOpenTransaction(scope.transaction);
      return { userGroupIds: open.userGroupIds, run: (...call) => open.runNested(...call) };
    }
    return { run: (statement, values) => this.#run(scope, deadline, statement, values) };
  }

  /** Returns the tenant's view of the database, within its open transaction if it has one. */
  for(tenant: Tenant & { readonly actor?: Actor }): TenantDb {
    return new TenantDb(tenant, this.of(tenant, tenant.deadline), this.orm, (work) =>
      this.transaction(tenant, work),
    );
  }

  /**
   * Runs statements in one transaction, or in a savepoint if the scope already has an open transaction. Only services open
   * transactions.
   * @throws what `work` throws, after rolling back
   */
  async transaction<T>(scope: RowScope, work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    if (scope !== "operator" && "transaction" in scope && scope.transaction)
      return requireOpenTransaction(scope.transaction).nested(work);
    const run = () => this.#transaction(scope, work);
    return inSpan(this.#instruments.tracing, "transaction", {}, run);
  }

  async #transaction<T>(scope: RowScope, work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    const deadline = deadlineOf(scope);
    const use = { account: accountOf(scope), isSearch: false };
    const settings = this.#localSettings ?? this.#lockSettings;
    return this.#pool.withClient(use, deadline, async (client, drop) => {
      const send: Queryable["run"] = async (statement, values) => {
        this.options.onStatement?.(statement.text);
        const prepared = this.#prepared.get(statement) ?? this.#prepare(statement);
        const query = { ...prepared.query, values: [...values] };
        return (await instrumentStatement(this.#instruments, statement, () => client.query(query))).rows;
      };
      const transaction = new OpenTransaction(this.orm, client, send, {
        deadline,
        recordsSeparately: this.hasCitus,
      });
      try {
        await client.query([beginWithin(scope, "write"), ...settings].join("; "));
        const result = await work(transaction);
        await transaction.commit();
        return result;
      } catch (error) {
        // `work` may throw another error than the connection loss; on a lost connection, ROLLBACK would only time out.
        const loss = [error, transaction.failure].find(isConnectionUnusable);
        if (loss) drop(loss);
        // A connection that cannot roll back is unusable.
        else await client.query("ROLLBACK").catch(drop);
        throw error;
      }
    });
  }

  /** Creates a TypeORM entity manager with the operator scope, each of whose statements commits separately. Not for hot paths. */
  manager(access: Statement["access"], label: string): EntityManager {
    return createEntityManager(this.orm, this.of("operator"), { access, label });
  }

  /** Runs `work` with a TypeORM entity manager in one transaction. Not for hot paths. */
  async entities<T>(scope: RowScope, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.transaction(scope, ({ manager }) => work(manager));
  }

  async #run<Row extends object>(
    scope: RowScope | null,
    deadline: Deadline | undefined,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    this.options.onStatement?.(statement.text);
    const prepared = this.#prepared.get(statement) ?? this.#prepare(statement);
    const query = { ...prepared.query, values: [...values] };
    const begin = scope && `${beginWithin(scope, statement.access)}${prepared.settings}`;
    const { isSearch = false } = statement;
    const lookups = this.#lookups;
    if (statement.isLookup && begin !== null && lookups?.isReady) {
      requireTime(deadline);
      try {
        return await instrumentStatement(this.#instruments, statement, () => lookups.run<Row>(begin, query));
      } catch {
        // The connection was lost, or a slow statement timed out. An error that persists is reported by the pool's attempt.
        this.#countRetry();
      }
    }
    const attempt = async () => {
      if (scope && statement.change !== undefined && this.hasCitus) {
        return this.transaction(scope, (transaction) => transaction.run<Row>(statement, values));
      }
      return this.#pool.withClient({ account: accountOf(scope), isSearch }, deadline, (client) =>
        instrumentStatement(this.#instruments, statement, async () => {
          if (begin === null) return (await client.query<Row>(query)).rows;
          return runInTransaction<Row>(client, begin, query);
        }),
      );
    };
    try {
      return await attempt();
    } catch (error) {
      const isOutdated = statement.name !== undefined && isOutdatedPlan(error);
      const isUndone = isOutdated || isTransactionConflict(error);
      // Retry only statements that wrote nothing: whether a lost write was committed is unknown.
      if (!isUndone && !(isConnectionLost(error) && isReadOnly(statement))) throw error;
      this.#countRetry();
      // Other connections may have prepared it for the old schema too.
      if (isOutdated) return this.#run(scope, deadline, withoutName(statement), values);
      // Other connections were probably lost as well: give the pool time to notice. A conflicting transaction gets it to end.
      await sleep(RETRY_AFTER_MS);
      return attempt();
    }
  }

  /** Remembers what a statement is sent with. */
  #prepare(statement: Statement): PreparedStatement {
    const { name, text, rows, plan, isSearch } = statement;
    const { pooled, statementTimeoutMs } = this.options;
    // Otherwise each is sent without its name and planned for its values.
    const isPrepared = pooled !== true;
    const settings = [
      ...(plan === "inIndexOrder" ? [IN_INDEX_ORDER] : []),
      ...(this.#localSettings ?? []),
      ...(isPrepared ? this.#planSettings(statement) : []),
      ...(isSearch ? [`SET LOCAL statement_timeout = ${Math.ceil(statementTimeoutMs / 2)}`] : []),
    ];
    const prepared = {
      query: {
        text,
        ...(name !== undefined && isPrepared ? { name } : {}),
        ...(rows === "text" ? TEXT_ROWS : {}),
      },
      settings: settings.map((each) => `; ${each}`).join(""),
    };
    this.#prepared.set(statement, prepared);
    return prepared;
  }

  #planSettings(statement: Statement): readonly string[] {
    // Citus plans a statement only once it knows the values that determine its shards.
    if (this.hasCitus) return isReadOnly(statement) ? [] : this.#lockSettings;
    const mode = planModeOf(statement);
    return mode === "auto" ? [] : [`SET LOCAL plan_cache_mode = ${mode}`];
  }

  #countRetry(): void {
    this.#instruments.metrics.retriedStatements.inc();
  }

  /** Closes all connections after the statements in flight have finished. */
  async close(): Promise<void> {
    this.#instruments.metrics.removePool(this);
    await Promise.all([this.#lookups?.close(), this.orm.destroy()]);
  }
}
