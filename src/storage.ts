import type { Config } from "./config.js";
import { OperatorError } from "./domain/operator-error.js";
import { TokenVault } from "./domain/token-vault.js";
import { Database, type DatabaseOptions } from "./persistence/database.js";
import { checkServer, checkTokenKeys } from "./persistence/database-check.js";
import { type EmbeddedServer, openEmbeddedServer } from "./persistence/embedded-postgres.js";
import { migrateUp } from "./persistence/migrator.js";
import { openSecretsFile, type Secrets } from "./persistence/secrets-file.js";

const EMBEDDED_DATABASE = "user_groups";

/** The database and the keys of what is sealed in it. */
export interface Storage {
  readonly database: Database;
  readonly vault: TokenVault;
  /** How to reach the database, for connections beside the pool. */
  readonly target: DatabaseOptions["target"];
  /** The version of PostgreSQL, e.g. "18.4". */
  readonly serverVersion: string;
  /** Resolves when an embedded PostgreSQL that this process started ends, however that happens; tells how. */
  readonly serverEnded: Promise<string>;
  /** The Customer key of the demo account, where an embedded database has one. */
  readonly demoKey: string | undefined;
  /** Closes the connections, and stops PostgreSQL if this process started it. */
  close(): Promise<void>;
}

export interface StorageOptions {
  /** Whether an embedded PostgreSQL that another process runs may be used. */
  readonly adopt: boolean;
  /** Whether missing migrations are applied. */
  readonly migrate: boolean;
  readonly warn: (message: string) => void;
}

/**
 * Opens the database that the settings name: their own, or the embedded one.
 * @throws OperatorError when it is out of reach, too old, or its tokens were sealed under other keys
 */
export async function openStorage(config: Config, options: StorageOptions): Promise<Storage> {
  const secrets =
    config.databaseUrl === undefined || config.encryptionKeys === undefined
      ? await openSecretsFile(config.dataDir)
      : undefined;
  const vault = new TokenVault(requireKeys(config, secrets, options));
  if (config.databaseUrl !== undefined) return connect(config, { url: config.databaseUrl }, vault, options);
  const server = await openEmbedded(config, secrets, options);
  try {
    const storage = await connect(config, server.connection, vault, options);
    return {
      ...storage,
      serverEnded: server.ended,
      demoKey: secrets?.demoKey,
      close: () => storage.close().finally(() => server.stop()),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function requireKeys(config: Config, secrets: Secrets | undefined, options: StorageOptions) {
  const keys = config.encryptionKeys ?? secrets?.encryptionKeys;
  if (keys === undefined) throw new Error("There are neither configured nor kept encryption keys.");
  if (config.databaseUrl !== undefined && config.encryptionKeys === undefined) {
    options.warn(
      "ENCRYPTION_KEYS is not set: tokens are sealed under the key in DATA_DIR, which every other process on this database needs too.",
    );
  }
  return keys;
}

async function openEmbedded(
  config: Config,
  secrets: Secrets | undefined,
  options: StorageOptions,
): Promise<EmbeddedServer> {
  if (secrets === undefined) throw new Error("There is no password for the embedded database.");
  return openEmbeddedServer({
    dataDir: config.dataDir,
    password: secrets.databasePassword,
    database: EMBEDDED_DATABASE,
    adopt: options.adopt,
  });
}

async function connect(
  config: Config,
  target: DatabaseOptions["target"],
  vault: TokenVault,
  options: StorageOptions,
): Promise<Storage> {
  const connectTimeoutMs = config.databaseConnectTimeoutMs;
  const serverVersion = await prepare(target, connectTimeoutMs, vault, options);
  const database = await open({
    target,
    poolSize: config.databasePoolSize,
    connectTimeoutMs,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
  });
  return {
    database,
    vault,
    target,
    serverVersion,
    serverEnded: new Promise(() => undefined),
    demoKey: undefined,
    close: () => database.close(),
  };
}

/** Checks and migrates over a connection of its own, as a migration may take longer than a request's statement. */
async function prepare(
  target: DatabaseOptions["target"],
  connectTimeoutMs: number,
  vault: TokenVault,
  options: StorageOptions,
): Promise<string> {
  const database = await open({ target, poolSize: 2, connectTimeoutMs, statementTimeoutMs: 0 });
  try {
    const version = await checkServer(database);
    if (options.migrate) {
      await migrateUp(database);
      await checkTokenKeys(database, vault);
    }
    return version;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`Cannot set up the database: ${reason(error)}.`, { cause: error });
  } finally {
    await database.close();
  }
}

async function open(options: DatabaseOptions): Promise<Database> {
  try {
    return await Database.connect(options);
  } catch (error) {
    throw new OperatorError(`Cannot connect to the database of DATABASE_URL: ${reason(error)}.`, {
      cause: error,
    });
  }
}

/** What the driver says, where that helps: a refused connection to a name with several addresses has no message of its own. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join("; ");
  if (error instanceof Error && error.message.includes("client password must be a")) {
    return "the server asks for a password, and the URL has none";
  }
  return error instanceof Error ? error.message : String(error);
}
