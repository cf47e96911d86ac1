import type { ClientBase, ClientConfig, Pool, PoolClient } from "pg";
import { DataSource, type EntityManager } from "typeorm";
import { PostgresDriver } from "typeorm/driver/postgres/PostgresDriver.js";
import { CreateCoreTables1763704800000 } from "../../migrations/1763704800000-create-core-tables.js";
import { IndexLists1763800000000 } from "../../migrations/1763800000000-index-lists.js";
import { CreateSiteConfigs1764000000000 } from "../../migrations/1764000000000-create-site-configs.js";
import { RowLevelSecurity1764100000000 } from "../../migrations/1764100000000-row-level-security.js";
import { AuditLog1764200000000 } from "../../migrations/1764200000000-audit-log.js";
import { Webhooks1764300000000 } from "../../migrations/1764300000000-webhooks.js";
import { AccountEntity } from "./account-entity.js";
import { ApiKeyEntity } from "./api-key-entity.js";
import { AuditEntryEntity } from "./audit-entry-entity.js";
import { DataSourceEntity } from "./data-source-entity.js";
import { isLost, translateDatabaseError } from "./database-error.js";
import { MappingEntryEntity } from "./mapping-entry-entity.js";
import { type RowScope, type ScopeSettings, SET_SCOPE, scopeStatement, settingsOf } from "./row-scope.js";
import { runScoped } from "./scoped-query.js";
import { SiteConfigEntity } from "./site-config-entity.js";
import { SiteConfigRevisionEntity } from "./site-config-revision-entity.js";
import { UserGroupEntity } from "./user-group-entity.js";
import { WebhookDeliveryEntity } from "./webhook-delivery-entity.js";
import { WebhookEndpointEntity } from "./webhook-endpoint-entity.js";

/** A statement. With a name, each connection prepares it once; the name is its identity: one name, one text. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
}

/** Something statements run on: the pool, or one transaction. */
export interface Queryable {
  /** @throws DomainError `unavailable` when the database is out of reach */
  run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
}

export interface DatabaseOptions {
  /** A connection URL, or the parts of one where the host is the directory of a Unix socket. */
  readonly target:
    | { readonly url: string }
    | {
        readonly host: string;
        readonly port: number;
        readonly user: string;
        readonly password: string;
        readonly database: string;
      };
  /** The most connections that this process opens. */
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Whether connections keep named statements; not behind a pooler that does not know them. True unless told otherwise. */
  readonly preparedStatements?: boolean;
  /** Told of each statement that runs; for counting and tracing. */
  readonly onStatement?: (text: string) => void;
}

/** The connections to PostgreSQL: one pool, used by TypeORM for entities and directly for the hot statements. */
export class Database implements Queryable {
  readonly orm: DataSource;
  readonly #pool: Pool;
  readonly #prepared: boolean;
  readonly #onStatement: (text: string) => void;

  private constructor(orm: DataSource, pool: Pool, options: DatabaseOptions) {
    this.orm = orm;
    this.#pool = pool;
    this.#prepared = options.preparedStatements ?? true;
    this.#onStatement = options.onStatement ?? (() => undefined);
  }

  /** Connects. @throws the driver's error when the database is out of reach or refuses us */
  static async connect(options: DatabaseOptions): Promise<Database> {
    const orm = new DataSource({
      type: "postgres",
      ...connectionOptions(options.target),
      entities: [
        AccountEntity,
        ApiKeyEntity,
        AuditEntryEntity,
        DataSourceEntity,
        MappingEntryEntity,
        SiteConfigEntity,
        SiteConfigRevisionEntity,
        UserGroupEntity,
        WebhookDeliveryEntity,
        WebhookEndpointEntity,
      ],
      migrations: [
        CreateCoreTables1763704800000,
        IndexLists1763800000000,
        CreateSiteConfigs1764000000000,
        RowLevelSecurity1764100000000,
        AuditLog1764200000000,
        Webhooks1764300000000,
      ],
      migrationsTableName: "schema_migration",
      synchronize: false,
      installExtensions: false,
      logging: false,
      applicationName: "user-groups",
      extra: {
        max: options.poolSize,
        connectionTimeoutMillis: options.connectTimeoutMs,
        statement_timeout: options.statementTimeoutMs,
        // The server's own limit does not help when it no longer answers at all.
        ...(options.statementTimeoutMs > 0 ? { query_timeout: options.statementTimeoutMs + 1000 } : {}),
        keepAlive: true,
        // Every connection keeps the statement that sets the scope, so that it need not be parsed each time.
        ...((options.preparedStatements ?? true)
          ? {
              onConnect: (client: ClientBase) => client.query({ ...SET_SCOPE, values: ["", "", "", "", ""] }),
            }
          : {}),
      },
    });
    await orm.initialize();
    if (!(orm.driver instanceof PostgresDriver))
      throw new TypeError("TypeORM runs on another driver than PostgreSQL's.");
    const pool: Pool = orm.driver.master;
    return new Database(orm, pool, options);
  }

  /** Runs a statement that touches no rows of an account: row level security hides them all. */
  async run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.#run(null, statement, values);
  }

  /** Gives what runs single statements within a scope of rows. */
  of(scope: RowScope): Queryable {
    const settings = settingsOf(scope);
    return { run: (statement, values) => this.#run(settings, statement, values) };
  }

  /**
   * Runs statements in one transaction: all of them count, or none does. A transaction opens in a service only.
   * @throws what `work` throws, after rolling back
   */
  async transaction<T>(scope: RowScope, work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return this.#withClient(async (client, drop) => {
      const transaction: Queryable = {
        run: async <Row extends object>(statement: Statement, values: readonly unknown[]) => {
          this.#onStatement(statement.text);
          return (await client.query<Row>({ ...this.#named(statement), values: [...values] })).rows;
        },
      };
      try {
        // One message: the scope costs no round trip of its own.
        await client.query(`BEGIN; ${scopeStatement(scope)}`);
        const result = await work(transaction);
        await client.query("COMMIT");
        return result;
      } catch (error) {
        // A connection that cannot even roll back is of no more use.
        if (!isLost(error)) await client.query("ROLLBACK").catch(drop);
        throw error;
      }
    });
  }

  /** Works on entities through TypeORM, where speed does not matter, in one transaction. */
  async entities<T>(scope: RowScope, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.orm.transaction(async (manager) => {
        await manager.query(scopeStatement(scope));
        return work(manager);
      });
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  async #run<Row extends object>(
    settings: ScopeSettings | null,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    this.#onStatement(statement.text);
    const config = { ...this.#named(statement), values: [...values] };
    return this.#withClient(async (client) => {
      if (!settings) return (await client.query<Row>(config)).rows;
      return runScoped<Row>(client, config, settings, this.#prepared);
    });
  }

  /** @param work may drop the connection, which is then closed rather than pooled */
  async #withClient<T>(work: (client: PoolClient, drop: (error: Error) => void) => Promise<T>): Promise<T> {
    try {
      const client = await this.#pool.connect();
      let broken: Error | undefined;
      const drop = (error: Error) => {
        broken = error;
      };
      // The pool listens to idle connections only: one that is lost now would otherwise end the process.
      client.on("error", drop);
      try {
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

  #named({ name, text }: Statement): Statement {
    return name !== undefined && this.#prepared ? { name, text } : { text };
  }

  /** Ends every connection, once the statements under way are done. */
  async close(): Promise<void> {
    await this.orm.destroy();
  }
}

/** The target as a single connection of the driver takes it. */
export function clientOptions(target: DatabaseOptions["target"]): ClientConfig {
  return "url" in target ? { connectionString: target.url } : target;
}

function connectionOptions(target: DatabaseOptions["target"]) {
  if ("url" in target) return { url: target.url };
  const { user, ...rest } = target;
  return { ...rest, username: user };
}
