import type { DataSource, EntityManager } from "typeorm";
import type { TenantKey } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import { createEntityManager } from "./entity-manager.js";
import type { Queryable, Statement } from "./statement.js";

/** Opens a transaction, or a savepoint within an open one. */
type Begin = <T>(work: (transaction: Queryable) => Promise<T>) => Promise<T>;

/**
 * A tenant's view of the database: on the pool or within a transaction. Every statement gets the account as $1 and the
 * environment as $2, so none can omit them.
 */
export class TenantDb implements TenantKey {
  readonly accountId: number;
  readonly environment: Environment;

  /** @param raw for statements that access no tenant rows, such as sequences and advisory locks; their values begin with $1 */
  constructor(
    { accountId, environment }: TenantKey,
    readonly raw: Queryable,
    private readonly orm: DataSource,
    private readonly begin: Begin = (work) => work(raw),
  ) {
    this.accountId = accountId;
    this.environment = environment;
  }

  /**
   * Runs a statement.
   * @param values begin with $3
   * @throws DomainError `unavailable` when the database is unreachable
   */
  run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.raw.run(statement, [this.accountId, this.environment, ...values]);
  }

  /** Columns that identify the tenant's rows, for TypeORM conditions. */
  get key(): TenantKey {
    return { accountId: this.accountId, environment: this.environment };
  }

  /**
   * Creates an entity manager; outside of a transaction, each of its statements commits separately.
   * @param label name of the statements in metrics and traces
   */
  manager(access: Statement["access"], label: string): EntityManager {
    return createEntityManager(this.orm, this.raw, { access, label });
  }

  /** Runs `work` in one transaction. @throws what `work` throws, after rolling back */
  transaction<T>(work: (transaction: TenantTransaction) => Promise<T>): Promise<T> {
    return this.begin((transaction) => work(new TenantTransaction(this, transaction, this.orm)));
  }
}

/** A tenant's view of an open transaction. */
export class TenantTransaction extends TenantDb {
  /** Makes the type differ: a change and its record must not be committed separately. */
  readonly isTransaction = true;
}
