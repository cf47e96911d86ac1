import type { EventStreamLimits } from "../domain/requests/event-stream-limits.js";
import type { ReadConsistency } from "../domain/requests/read-consistency.js";
import { OperatorError } from "../domain/shared/operator-error.js";
import type { OperationLimits } from "../graphql/shared/operation-limits.js";
import type { ConnectionLimits } from "../http/server/connection-limits.js";
import type { SlotLimits } from "../services/webhooks/delivery-slots.js";
import type { TraceSettings } from "../telemetry/export/trace-settings.js";
import { settings } from "./settings.js";

/** What only several settings together tell. */
const agreeing = settings.refine(
  ({ DATABASE_URL, DATABASE_REPLICA_URLS }) =>
    DATABASE_REPLICA_URLS.length === 0 || DATABASE_URL !== undefined,
  { path: ["DATABASE_REPLICA_URLS"], message: "needs DATABASE_URL, of which they are replicas" },
);

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** The settings of the service, checked. */
export interface Config {
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
  /** How long the service goes on, though it is not ready any more, once it is told to stop. */
  readonly shutdownDelayMs: number;
  /** How long a request may take, whatever it waits for. */
  readonly requestTimeoutMs: number;
  /** Undefined: the service brings its own PostgreSQL, with its data in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** The same database as the role that owns the tables; undefined: the service's own role does. */
  readonly databaseMigrationUrl: string | undefined;
  /** The same database without a pooler between; undefined: there is none. */
  readonly databaseListenUrl: string | undefined;
  /** Whether DATABASE_URL leads to a pooler in transaction mode. */
  readonly databasePooled: boolean;
  /** Copies of the database that reads may come from. */
  readonly databaseReplicaUrls: readonly string[];
  /** How much older than the database what is read from one may be. */
  readonly databaseReplicaMaxLagMs: number;
  /** What requests get that do not say what they want to see. */
  readonly readConsistency: ReadConsistency;
  readonly dataDir: string;
  /** Undefined: the key is kept in `dataDir`. Else 32 bytes each, the sealing one first. */
  readonly encryptionKeys: readonly [Buffer, ...Buffer[]] | undefined;
  readonly databasePoolSize: number;
  readonly databaseConnectTimeoutMs: number;
  readonly databaseStatementTimeoutMs: number;
  readonly databaseLockTimeoutMs: number;
  readonly databaseIdleTransactionTimeoutMs: number;
  /** How long one attempt of a migration waits for a lock. */
  readonly migrationLockTimeoutMs: number;
  /** How long a migration that could not get its locks is tried again. */
  readonly migrationRetryMs: number;
  /** How many requests may wait for a connection. */
  readonly databaseQueueSize: number;
  /** Whether what requests read, or create, at the same time goes to the database as one statement. */
  readonly collectStatements: boolean;
  /** How long a valid API key is remembered. */
  readonly apiKeyCacheMs: number;
  /** How many opened group tokens are kept in memory. */
  readonly tokenCacheSize: number;
  readonly tokenGraceSeconds: number;
  /** Points of each API key, user group and address without credentials in a minute; 0 for any number. */
  readonly rateLimit: number;
  /** Failed authentications of an address in a minute; 0 for any number. */
  readonly authFailureLimit: number;
  /** How many event streams may be open, and how much of them may be unread. */
  readonly eventStreams: EventStreamLimits;
  readonly connectionLimits: ConnectionLimits;
  /** Where replicas count together; undefined: each process counts alone. */
  readonly redisUrl: string | undefined;
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** The origins whose pages may call the GraphQL API; "*" for all of them. */
  readonly corsOrigins: readonly string[] | "*";
  /** Whether `/api/docs` shows the REST API to a browser. */
  readonly apiDocs: boolean;
  /** Whether GraphQL documents that are sent repeatedly are compiled. */
  readonly graphqlJit: boolean;
  /** Whether documents that Apollo Server has run before are run without it. */
  readonly graphqlShortcut: boolean;
  readonly graphqlIntrospection: boolean;
  readonly graphqlPlayground: boolean;
  /** Whether there is the console at `/console`. */
  readonly console: boolean;
  readonly graphqlLimits: OperationLimits;
  /** The file with the only documents that run; undefined: every document may. */
  readonly trustedDocuments: string | undefined;
  /** Whether this process delivers webhooks. */
  readonly webhooks: boolean;
  /** Whether webhooks may go unencrypted, and into private networks. */
  readonly webhookAllowPrivate: boolean;
  /** How many deliveries may be in progress in this process. */
  readonly webhookSlots: SlotLimits;
  /** An endpoint that fails for so many days is disabled; 0 for never. */
  readonly webhookDisableAfterDays: number;
  /** How many days a delivery may wait. */
  readonly webhookPendingMaxDays: number;
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
  /** How many lines about requests that succeeded the log has in a second. */
  readonly logSuccessesPerSecond: number;
  /** What readers of the metrics bring; undefined: at this machine only, if anywhere. */
  readonly metricsToken: string | undefined;
  /** Undefined: nothing is traced. */
  readonly traces: TraceSettings | undefined;
}

/**
 * Reads the settings from the environment; an empty variable counts as not set.
 * @throws OperatorError naming every faulty setting, but never its value: it may be a secret
 */
export function readConfig(environment: ProcessEnvironment): Config {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== "");
  const result = agreeing.safeParse(Object.fromEntries(given));
  if (!result.success) {
    const faults = result.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
    throw new OperatorError(`Wrong settings: ${faults.join("; ")}.`);
  }
  const read = result.data;
  return {
    host: read.HOST,
    port: read.PORT,
    shutdownDelayMs: read.SHUTDOWN_DELAY_MS,
    requestTimeoutMs: read.REQUEST_TIMEOUT_MS,
    databaseUrl: read.DATABASE_URL,
    databaseMigrationUrl: read.DATABASE_MIGRATION_URL,
    databaseListenUrl: read.DATABASE_LISTEN_URL,
    databasePooled: read.DATABASE_POOLED,
    databaseReplicaUrls: read.DATABASE_REPLICA_URLS,
    databaseReplicaMaxLagMs: read.DATABASE_REPLICA_MAX_LAG_MS,
    readConsistency: read.READ_CONSISTENCY,
    dataDir: read.DATA_DIR,
    encryptionKeys: read.ENCRYPTION_KEYS,
    databasePoolSize: read.DATABASE_POOL_SIZE,
    databaseConnectTimeoutMs: read.DATABASE_CONNECT_TIMEOUT_MS,
    databaseStatementTimeoutMs: read.DATABASE_STATEMENT_TIMEOUT_MS,
    databaseLockTimeoutMs: read.DATABASE_LOCK_TIMEOUT_MS,
    databaseIdleTransactionTimeoutMs: read.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
    migrationLockTimeoutMs: read.MIGRATION_LOCK_TIMEOUT_MS,
    migrationRetryMs: read.MIGRATION_RETRY_MS,
    databaseQueueSize: read.DATABASE_QUEUE_SIZE,
    collectStatements: read.COLLECT_STATEMENTS,
    apiKeyCacheMs: read.API_KEY_CACHE_MS,
    tokenCacheSize: read.TOKEN_CACHE_SIZE,
    tokenGraceSeconds: read.TOKEN_GRACE_SECONDS,
    rateLimit: read.RATE_LIMIT,
    authFailureLimit: read.AUTH_FAILURE_LIMIT,
    eventStreams: {
      perToken: read.EVENT_STREAMS_PER_TOKEN,
      perKey: read.EVENT_STREAMS_PER_API_KEY,
      perAddress: read.EVENT_STREAMS_PER_ADDRESS,
      perProcess: read.EVENT_STREAMS_PER_PROCESS,
      unreadBytes: read.EVENT_STREAM_UNREAD_BYTES,
      totalUnreadBytes: read.EVENT_STREAM_TOTAL_UNREAD_BYTES,
    },
    connectionLimits: {
      maxConnections: read.MAX_CONNECTIONS,
      maxConnectionsPerAddress: read.MAX_CONNECTIONS_PER_ADDRESS,
      receiveTimeoutMs: read.REQUEST_RECEIVE_TIMEOUT_MS,
      stallTimeoutMs: read.STALLED_CONNECTION_TIMEOUT_MS,
      maxUnsentBytes: read.MAX_UNSENT_BYTES,
      maxBodyBytes: read.MAX_INCOMPLETE_BODY_BYTES,
    },
    redisUrl: read.REDIS_URL,
    trustedProxies: read.TRUSTED_PROXIES,
    corsOrigins: read.CORS_ORIGINS,
    apiDocs: read.API_DOCS,
    graphqlJit: read.GRAPHQL_JIT,
    graphqlShortcut: read.GRAPHQL_SHORTCUT,
    graphqlIntrospection: read.GRAPHQL_INTROSPECTION,
    graphqlPlayground: read.GRAPHQL_PLAYGROUND,
    console: read.CONSOLE,
    graphqlLimits: {
      depth: read.GRAPHQL_MAX_DEPTH,
      aliases: read.GRAPHQL_MAX_ALIASES,
      rootFields: read.GRAPHQL_MAX_ROOT_FIELDS,
      tokens: read.GRAPHQL_MAX_TOKENS,
      selections: read.GRAPHQL_MAX_SELECTIONS,
      cost: read.GRAPHQL_MAX_COST,
      replyBytes: read.GRAPHQL_MAX_REPLY_BYTES,
    },
    trustedDocuments: read.TRUSTED_DOCUMENTS,
    webhooks: read.WEBHOOKS,
    webhookAllowPrivate: read.WEBHOOK_ALLOW_PRIVATE,
    webhookSlots: {
      total: read.WEBHOOK_CONCURRENCY,
      perAccount: read.WEBHOOK_CONCURRENCY_PER_ACCOUNT,
      perEndpoint: read.WEBHOOK_CONCURRENCY_PER_ENDPOINT,
    },
    webhookDisableAfterDays: read.WEBHOOK_DISABLE_AFTER_DAYS,
    webhookPendingMaxDays: read.WEBHOOK_PENDING_MAX_DAYS,
    logLevel: read.LOG_LEVEL,
    logSuccessesPerSecond: read.LOG_SUCCESSES_PER_SECOND,
    metricsToken: read.METRICS_TOKEN,
    traces:
      read.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT,
            protocol: read.OTEL_EXPORTER_OTLP_PROTOCOL,
            headers: read.OTEL_EXPORTER_OTLP_HEADERS,
            serviceName: read.OTEL_SERVICE_NAME,
            resource: read.OTEL_RESOURCE_ATTRIBUTES,
            sampler: read.OTEL_TRACES_SAMPLER,
            ratio: read.OTEL_TRACES_SAMPLER_ARG,
          },
  };
}
