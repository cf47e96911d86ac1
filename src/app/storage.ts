import type { Config } from "../config/config.js";
import { databaseOptions } from "../config/database-options.js";
import { TokenVault } from "../domain/accounts/token-vault.js";
import { errorCode, OperatorError } from "../domain/shared/operator-error.js";
import { openEmbeddedServer } from "../embedded-postgres/postgres.js";
import { openSecretsFile, type Secrets } from "../embedded-postgres/secrets-file.js";
import { Database } from "../persistence/database/database.js";
import { checkPooler, checkServer, checkTokenKeys } from "../persistence/database/database-check.js";
import { checkDistribution } from "../persistence/database/distribution.js";
import { DEFAULT_TIMEOUTS, type MigrationTimeouts, migrateUp } from "../persistence/database/migrator.js";
import { currentRole, grantRuntimeRole, rowSecurityBypass } from "../persistence/database/runtime-role.js";
import type { DatabaseOptions } from "../persistence/shared/database-options.js";
import type { Telemetry } from "../telemetry/telemetry.js";

/** SQLSTATE insufficient_privilege. */
export const INSUFFICIENT_PRIVILEGE = "42501";
const EMBEDDED_DATABASE = "user_groups";
/** Decrypted tokens, about 300 bytes each. */
const TOKEN_CACHE_SIZE = 20_000;

/** The database and its encryption keys. */
export interface Storage {
  readonly database: Database;
  readonly vault: TokenVault;
  /** Target for LISTEN, which needs a direct connection to the database. */
  readonly listenTarget: DatabaseOptions["target"];
  /** PostgreSQL version, e.g. "18.4". */
  readonly serverVersion: string;
  /** Names of the migrations that this start applied. */
  readonly applied: readonly string[];
  /** Resolves with a description when the embedded PostgreSQL of this process exits for any reason. */
  readonly serverEnded: Promise<string>;
  /** The demo account's API key for the Customer environment, if an embedded database has one. */
  readonly demoKey: string | undefined;
  /** Closes the connections and stops PostgreSQL if this process started it. */
  close(): Promise<void>;
}

/** Connection targets of one database for both roles. */
interface Targets {
  /** Owner role: owns the tables and applies migrations. */
  readonly owner: DatabaseOptions["target"];
  /** Application role, with the privileges that the service needs. */
  readonly application: DatabaseOptions["target"];
}

export interface StorageOptions {
  /** Whether to use an embedded PostgreSQL that another process runs. */
  readonly adopt: boolean;
  /** Whether to apply pending migrations. */
  readonly migrate: boolean;
  /** Role of the connection; the application role by default. */
  readonly role?: "application" | "owner";
  readonly warn: (message: string) => void;
  readonly telemetry?: Telemetry;
}

/**
 * Opens the configured or the embedded database.
 * @throws OperatorError when it is unreachable or too old, or its tokens were encrypted with other keys
 */
export async function openStorage(config: Config, options: StorageOptions): Promise<Storage> {
  const secrets =
    config.databaseUrl === undefined || config.encryptionKeys === undefined
      ? await openSecretsFile(config.dataDir)
      : undefined;
  const countLookup = options.telemetry?.metrics.caches.tokens;
  const vault = new TokenVault(requireKeys(config, secrets, options), TOKEN_CACHE_SIZE, countLookup);
  if (config.databaseUrl !== undefined) {
    const application = { url: config.databaseUrl };
    const { databaseMigrationUrl: url } = config;
    return connect(config, { application, owner: url === undefined ? application : { url } }, vault, options);
  }
  if (secrets === undefined) throw new Error("There is no password for the embedded database.");
  const server = await openEmbeddedServer({
    dataDir: config.dataDir,
    password: secrets.databasePassword,
    database: EMBEDDED_DATABASE,
    adopt: options.adopt,
  });
  try {
    const targets = { owner: server.connection, application: server.runtimeConnection };
    const storage = await connect(config, targets, vault, options);
    return {
      ...storage,
      serverEnded: server.ended,
      demoKey: secrets.demoKey,
      close: () => storage.close().finally(() => server.stop()),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function requireKeys(config: Config, secrets: Secrets | undefined, options: StorageOptions) {
  const keys = config.encryptionKeys ?? secrets?.encryptionKeys;
  if (keys === undefined) throw new Error("No encryption keys are configured or stored.");
  if (config.databaseUrl !== undefined && config.encryptionKeys === undefined) {
    options.warn(
      "ENCRYPTION_KEYS is not set: tokens are encrypted with the key in DATA_DIR. Other processes that use this database need the same key.",
    );
  }
  return keys;
}

async function connect(
  config: Config,
  targets: Targets,
  vault: TokenVault,
  options: StorageOptions,
): Promise<Storage> {
  const target = targets[options.role ?? "application"];
  const { databaseListenUrl: listenUrl } = config;
  const database = await open(databaseOptions(config, target, options.telemetry));
  try {
    const prepared = await prepare(config, targets.owner, { database, vault }, options);
    return {
      database,
      vault,
      listenTarget: listenUrl === undefined ? target : { url: listenUrl },
      ...prepared,
      serverEnded: new Promise(() => undefined),
      demoKey: undefined,
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Checks and migrates the database over separate connections without a statement timeout: a migration may take long. */
async function prepare(
  config: Config,
  target: Targets["owner"],
  { database, vault }: Pick<Storage, "database" | "vault">,
  options: StorageOptions,
): Promise<Pick<Storage, "serverVersion" | "applied">> {
  const { databasePooled: pooled, databaseConnectTimeoutMs: connectTimeoutMs } = config;
  const owner = await open({ target, pooled, connectTimeoutMs, poolSize: 2, statementTimeoutMs: 0 });
  try {
    if (pooled === "prepared") await checkPooler(database);
    const serverVersion = await checkServer(owner);
    if (options.role !== "owner") await checkDistribution(owner);
    if (!options.migrate) return { serverVersion, applied: [] };
    const applied = await migrateUp(owner, migrationTimeouts(config, options));
    if (options.role !== "owner") await separateRoles(owner, database, options);
    await checkTokenKeys(database, vault);
    return { serverVersion, applied };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    if (errorCode(error) === INSUFFICIENT_PRIVILEGE) {
      const problem = "The database schema is not up to date, and this role is not allowed to change it";
      const advice = "Run `migrate up` with DATABASE_MIGRATION_URL, or set it for this process.";
      throw new OperatorError(`${problem} (${reason(error)}). ${advice}`, { cause: error });
    }
    throw new OperatorError(`Cannot set up the database: ${reason(error)}.`, { cause: error });
  } finally {
    await owner.close();
  }
}

export function migrationTimeouts(
  { migrationRetryMs: retryMs }: Config,
  { warn: onRetry }: Pick<StorageOptions, "warn">,
): MigrationTimeouts {
  return { ...DEFAULT_TIMEOUTS, retryMs, onRetry };
}

/** Grants the application role its privileges and warns if row-level security does not apply to it. */
async function separateRoles(owner: Database, application: Database, options: StorageOptions): Promise<void> {
  const role = await currentRole(application);
  if (role.name !== (await currentRole(owner)).name) await grantRuntimeRole(owner, role.name);
  const bypass = rowSecurityBypass(role);
  if (bypass === null) return;
  options.warn(
    `Row-level security is not enforced: ${bypass}. Use an unprivileged role in DATABASE_URL and the owner role in DATABASE_MIGRATION_URL.`,
  );
}

async function open(options: DatabaseOptions): Promise<Database> {
  try {
    return await Database.connect(options);
  } catch (error) {
    throw new OperatorError(`Cannot connect to the database in DATABASE_URL: ${reason(error)}.`, {
      cause: error,
      code: "unavailable",
    });
  }
}

/** Returns a useful message: the AggregateError of a host name with several addresses has none itself. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join("; ");
  if (error instanceof Error && error.message.includes("client password must be a")) {
    return "the server requires a password, but the URL has none";
  }
  return error instanceof Error ? error.message : String(error);
}
