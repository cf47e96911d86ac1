import { z } from "zod";
import { READ_CONSISTENCIES } from "../domain/requests/read-consistency.js";
import { MAX_KEY_CACHE_MS } from "../services/accounts/key-cache.js";
import { OTLP_PROTOCOLS, SAMPLER_NAMES } from "../telemetry/export/trace-settings.js";
import { GRAPHQL_SETTINGS, LIMIT_SETTINGS, WEBHOOK_SETTINGS } from "./limit-settings.js";
import {
  bearerToken,
  encryptionKeys,
  flag,
  httpUrl,
  keyValueList,
  originList,
  postgresUrl,
  postgresUrls,
  proxyList,
  ratio,
  wholeNumber,
} from "./setting-types.js";

/** The settings of the service, by what they are about: environment variables with their defaults, and what each of them means. */
export const SETTING_SECTIONS = {
  Network: {
    HOST: z.string().default("127.0.0.1").describe("the address to listen on"),
    PORT: wholeNumber(0, 65_535, 4000).describe("the port; 0 for any free one"),
    SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000, 0).describe(
      "how long the service goes on, with `/readyz` saying no, when it is told to stop: longer than your balancer takes to notice",
    ),
    REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000, 15_000).describe(
      "maximum time a request may take, including waits for a connection, statements and retries; then 503. Time spent receiving the body does not count, and event streams are exempt",
    ),
    TRUSTED_PROXIES: proxyList().describe(
      "the addresses and networks of your proxies, comma-separated: only theirs may `X-Forwarded-For` tell the client's address",
    ),
    CONSOLE: flag(true).describe("whether `/console` has the [console](console.md)"),
    API_DOCS: flag(true).describe(
      "whether `/api/docs` shows the REST API to a browser; `/openapi.json` is there in any case",
    ),
    CORS_ORIGINS: originList().describe(
      "the origins whose pages may call the GraphQL API, comma-separated, or `*`; none when not set",
    ),
  },
  Database: {
    DATABASE_URL: postgresUrl().describe(
      "a PostgreSQL, 14 to 18: `postgres://user:password@host:5432/database`. Not set: the service brings its own",
    ),
    DATABASE_MIGRATION_URL: postgresUrl().describe(
      "the same database as the role that owns the tables, for migrations: then `DATABASE_URL` may name a role with no rights of its own, for whom row level security holds. Not set: `DATABASE_URL`'s role does both",
    ),
    DATABASE_POOLED: flag(false).describe(
      "whether `DATABASE_URL` leads to a pooler in transaction mode, such as PgBouncer: then nothing is kept in a connection",
    ),
    DATABASE_LISTEN_URL: postgresUrl().describe(
      "the same database without the pooler, for the one connection that listens for changes and revoked API keys; without it subscriptions behind a pooler do not work, and a key that another process revokes works for `API_KEY_CACHE_MS`",
    ),
    DATABASE_REPLICA_URLS: postgresUrls().describe(
      "hot standbys of `DATABASE_URL`'s server, each by an address of its own and as the same role: they answer reads that may be a little old, see [operations](operations.md#read-replicas). `DATABASE_POOLED` goes for them too",
    ),
    DATABASE_REPLICA_MAX_LAG_MS: wholeNumber(200, 600_000, 5000).describe(
      "how much older than the database what is read from a replica may be; one that lags more is left out meanwhile",
    ),
    READ_CONSISTENCY: z
      .enum(READ_CONSISTENCIES, `must be ${READ_CONSISTENCIES.join(" or ")}`)
      .default("strong")
      .describe(
        "what requests read that do not say it by `X-Read-Consistency`: all that was written before, or what a replica has",
      ),
    DATABASE_POOL_SIZE: wholeNumber(1, 1000, 10).describe("the most connections to PostgreSQL"),
    DATABASE_CONNECT_TIMEOUT_MS: wholeNumber(100, 600_000, 5000).describe(
      "how long to wait for a connection",
    ),
    DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(100, 600_000, 10_000).describe(
      "how long a statement may run; its answer is waited for a second longer",
    ),
    DATABASE_LOCK_TIMEOUT_MS: wholeNumber(100, 600_000, 5000).describe(
      "how long a statement may wait for another transaction",
    ),
    DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: wholeNumber(100, 600_000, 10_000).describe(
      "how long an open transaction may do nothing",
    ),
    MIGRATION_LOCK_TIMEOUT_MS: wholeNumber(100, 60_000, 2000).describe(
      "how long one attempt of a migration waits for a lock; requests that need the same table wait behind it meanwhile",
    ),
    MIGRATION_RETRY_MS: wholeNumber(0, 86_400_000, 120_000).describe(
      "how long a migration that could not get its locks is tried again; then `migrate up`, or the start, fails",
    ),
    DATABASE_QUEUE_SIZE: wholeNumber(1, 100_000, 1000).describe(
      "how many requests may wait for a connection; further ones get 503 at once",
    ),
  },
  "Secrets and data": {
    DATA_DIR: z
      .string()
      .default(".data")
      .describe(
        "where the embedded PostgreSQL and the secrets that must persist are kept (mode 600); back it up",
      ),
    ENCRYPTION_KEYS: encryptionKeys().describe(
      "the keys that seal user group tokens, comma-separated, 32 bytes each in base64 (`openssl rand -base64 32`). The first one seals, all of them open. Not set: one is made and kept in `DATA_DIR`. Replicas on one database need the same",
    ),
    TOKEN_GRACE_SECONDS: wholeNumber(0, 2_592_000, 0).describe(
      "how long a rotated token may still be used to read over GraphQL",
    ),
  },
  Limits: LIMIT_SETTINGS,
  GraphQL: GRAPHQL_SETTINGS,
  Webhooks: WEBHOOK_SETTINGS,
  Log: {
    LOG_LEVEL: z
      .enum(["debug", "info", "warn", "error", "silent"], "must be one of debug, info, warn, error, silent")
      .default("info")
      .describe("`debug`, `info`, `warn`, `error` or `silent`. The log is JSON lines on standard error"),
    LOG_SUCCESSES_PER_SECOND: wholeNumber(0, 1_000_000, 100).describe(
      "how many lines about requests that succeeded there may be in a second; the next one tells how many were `skipped`. Failures are always written",
    ),
  },
  Observability: {
    METRICS_TOKEN: bearerToken().describe(
      "what readers of `/metrics` bring as a bearer token, 16 characters or more; not set: only this machine reads them, and not where `DATABASE_URL`, `TRUSTED_PROXIES` or a `HOST` for others is set. See [observability](observability.md), also for what follows",
    ),
    OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl().describe(
      "the collector of traces, such as `http://127.0.0.1:4318`; not set: nothing is traced",
    ),
    OTEL_EXPORTER_OTLP_PROTOCOL: z
      .enum(OTLP_PROTOCOLS, `must be one of ${OTLP_PROTOCOLS.join(", ")}`)
      .default("http/protobuf")
      .describe("how traces go there"),
    OTEL_EXPORTER_OTLP_HEADERS: keyValueList().describe(
      "what the collector wants to see, such as `api-key=…`",
    ),
    OTEL_SERVICE_NAME: z.string().default("user-groups").describe("what traces call the service"),
    OTEL_RESOURCE_ATTRIBUTES: keyValueList().describe(
      "what else traces tell of it, such as `deployment.environment.name=production`",
    ),
    OTEL_TRACES_SAMPLER: z
      .enum(SAMPLER_NAMES, `must be one of ${SAMPLER_NAMES.join(", ")}`)
      .default("parentbased_always_on")
      .describe("which requests are traced"),
    OTEL_TRACES_SAMPLER_ARG: ratio(1).describe(
      "the part of the requests that `traceidratio` takes, from 0 to 1",
    ),
  },
  Speed: {
    COLLECT_STATEMENTS: flag(true).describe(
      "whether what requests read, or create, at the same moment goes to the database as one statement",
    ),
    API_KEY_CACHE_MS: wholeNumber(0, MAX_KEY_CACHE_MS, 500).describe(
      "how long a valid API key is remembered, up to 1000 ms. A revoked key is dropped at once; where the notification does not arrive, it works for so long. 0 asks the database each time",
    ),
    TOKEN_CACHE_SIZE: wholeNumber(0, 10_000_000, 20_000).describe(
      "how many opened user group tokens are kept in memory, some 300 bytes each; 0 opens each of them again",
    ),
    GRAPHQL_JIT: flag(true).describe("whether GraphQL documents that are sent repeatedly are compiled"),
    GRAPHQL_SHORTCUT: flag(true).describe(
      "whether an operation that Apollo Server has run before is run without it, when it comes again and no error arises",
    ),
  },
} as const;

/** All of them, checked. */
export const settings = z.object({
  ...SETTING_SECTIONS.Network,
  ...SETTING_SECTIONS.Database,
  ...SETTING_SECTIONS["Secrets and data"],
  ...SETTING_SECTIONS.Limits,
  ...SETTING_SECTIONS.GraphQL,
  ...SETTING_SECTIONS.Webhooks,
  ...SETTING_SECTIONS.Log,
  ...SETTING_SECTIONS.Observability,
  ...SETTING_SECTIONS.Speed,
});
