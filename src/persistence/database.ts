import type { ClientConfig, Pool } from "pg";
import { DataSource, type EntityManager } from "typeorm";
import { PostgresDriver } from "typeorm/driver/postgres/PostgresDriver.js";
import { CreateCoreTables1763704800000 } from "../../migrations/1763704800000-create-core-tables.js";
import { IndexLists1763800000000 } from "../../migrations/1763800000000-index-lists.js";
import { CreateSiteConfigs1764000000000 } from "../../migrations/1764000000000-create-site-configs.js";
import { AccountEntity } from "./account-entity.js";
import { ApiKeyEntity } from "./api-key-entity.js";
import { DataSourceEntity } from "./data-source-entity.js";
import { isLost, translateDatabaseError } from "./database-error.js";
import { MappingEntryEntity } from "./mapping-entry-entity.js";
import { SiteConfigEntity } from "./site-config-entity.js";
import { SiteConfigRevisionEntity } from "./site-config-revision-entity.js";
import { UserGroupEntity } from "./user-group-entity.js";

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
  /** Told of each statement that runs; for counting and tracing. */
  readonly onStatement?: (text: string) => void;
}

/** The connection to PostgreSQL: one pool, used by TypeORM for entities and directly for the hot statements. */
export class Database implements Queryable {
  readonly orm: DataSource;
  readonly #pool: Pool;
  readonly #onStatement: (text: string) => void;

  private constructor(orm: DataSource, pool: Pool, onStatement: (text: string) => void) {
    this.orm = orm;
    this.#pool = pool;
    this.#onStatement = onStatement;
  }

  /** Connects. @throws the driver's error when the database is out of reach or refuses us */
  static async connect(options: DatabaseOptions): Promise<Database> {
    const orm = new DataSource({
      type: "postgres",
      ...connectionOptions(options.target),
      entities: [
        AccountEntity,
        ApiKeyEntity,
        DataSourceEntity,
        MappingEntryEntity,
        SiteConfigEntity,
        SiteConfigRevisionEntity,
        UserGroupEntity,
      ],
      migrations: [CreateCoreTables1763704800000, IndexLists1763800000000, CreateSiteConfigs1764000000000],
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
      },
    });
    await orm.initialize();
    if (!(orm.driver instanceof PostgresDriver))
      throw new TypeError("TypeORM runs on another driver than PostgreSQL's.");
    const pool: Pool = orm.driver.master;
    return new Database(orm, pool, options.onStatement ?? (() => undefined));
  }

  async run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    this.#onStatement(statement.text);
    try {
      const result = await this.#pool.query<Row>({ ...statement, values: [...values] });
      return result.rows;
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  /**
   * Runs statements in one transaction: all of them count, or none does. A transaction opens in a service only.
   * @throws what `work` throws, after rolling back
   */
  async transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    try {
      const client = await this.#pool.connect();
      let broken: Error | undefined;
      // The pool listens to idle connections only: one that is lost now would otherwise end the process.
      const onError = (error: Error) => {
        broken = error;
      };
      client.on("error", onError);
      try {
        await client.query("BEGIN");
        const result = await work({
          run: async <Row extends object>(statement: Statement, values: readonly unknown[]) => {
            this.#onStatement(statement.text);
            return (await client.query<Row>({ ...statement, values: [...values] })).rows;
          },
        });
        await client.query("COMMIT");
        return result;
      } catch (error) {
        // A connection that cannot even roll back is of no more use, and is closed rather than pooled.
        if (isLost(error)) broken = error;
        else if (!broken) await client.query("ROLLBACK").catch(onError);
        throw error;
      } finally {
        client.off("error", onError);
        client.release(broken);
      }
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  /** Works on entities through TypeORM, where speed does not matter. */
  async entities<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await work(this.orm.manager);
    } catch (error) {
      throw translateDatabaseError(error);
    }
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
