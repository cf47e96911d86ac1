import { z } from "zod";
import { DEFAULT_EVENT_STREAM_LIMITS } from "../domain/requests/event-stream-limits.js";
import { DEFAULT_RETENTION } from "../domain/shared/retention.js";
import { DEFAULT_LIMITS } from "../graphql/shared/operation-limits.js";
import { DEFAULT_CONNECTION_LIMITS } from "../http/server/connections.js";
import { DEFAULT_DISABLE_AFTER_DAYS, DEFAULT_SLOTS } from "../services/webhooks/options.js";
import { flag, redisUrl, wholeNumber } from "./setting-types.js";

/** Limits on connections, memory, time, requests and event streams. */
export const LIMIT_SETTINGS = {
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000, DEFAULT_CONNECTION_LIMITS.maxConnections).describe(
    "maximum number of open connections; further ones get 503",
  ),
  MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(
    1,
    1_000_000,
    DEFAULT_CONNECTION_LIMITS.maxConnectionsPerAddress,
  ).describe(
    "maximum number of open connections per client address (IPv6: /64); further ones get 429. `TRUSTED_PROXIES` are exempt",
  ),
  REQUEST_RECEIVE_TIMEOUT_MS: wholeNumber(100, 600_000, DEFAULT_CONNECTION_LIMITS.receiveTimeoutMs).describe(
    "maximum time to receive the headers of a request, and then its body; then 408",
  ),
  STALLED_CONNECTION_TIMEOUT_MS: wholeNumber(150, 600_000, DEFAULT_CONNECTION_LIMITS.stallTimeoutMs).describe(
    "time without progress of a client that reads a reply or stream, after which its connection is reset",
  ),
  MAX_UNSENT_BYTES: wholeNumber(1_048_576, 999_999_999, DEFAULT_CONNECTION_LIMITS.maxUnsentBytes).describe(
    "maximum number of unread bytes of replies; beyond, the slowest connections are reset, then large replies are replaced by 503",
  ),
  MAX_REQUESTS_IN_PROGRESS: wholeNumber(
    10,
    1_000_000,
    DEFAULT_CONNECTION_LIMITS.maxRequestsInProgress,
  ).describe(
    "maximum number of requests in progress; a client address may have half of them, and further ones get 503",
  ),
  RATE_LIMIT: wholeNumber(0, 100_000_000, 0).describe(
    "maximum request cost per minute, for each API key, each group's front ends and each address without credentials; `0` disables the limit ([guide](rate-limits.md))",
  ),
  AUTH_FAILURE_LIMIT: wholeNumber(0, 100_000_000, 1000).describe(
    "maximum number of failed authentications per address and minute; `0` disables the limit",
  ),
  EVENT_STREAMS_PER_TOKEN: wholeNumber(1, 1_000_000, DEFAULT_EVENT_STREAM_LIMITS.perToken).describe(
    "maximum number of event streams per user group's tokens",
  ),
  EVENT_STREAMS_PER_API_KEY: wholeNumber(1, 1_000_000, DEFAULT_EVENT_STREAM_LIMITS.perKey).describe(
    "maximum number of event streams per API key",
  ),
  EVENT_STREAMS_PER_ADDRESS: wholeNumber(1, 1_000_000, DEFAULT_EVENT_STREAM_LIMITS.perAddress).describe(
    "maximum number of event streams per client address; `TRUSTED_PROXIES` are exempt",
  ),
  EVENT_STREAMS_PER_PROCESS: wholeNumber(1, 1_000_000, DEFAULT_EVENT_STREAM_LIMITS.perProcess).describe(
    "maximum number of event streams",
  ),
  REDIS_URL: redisUrl().describe(
    "Redis that shares rate limit counters between replicas, `redis://user:password@host:6379/0` or `rediss://` for TLS; use a separate Redis database per deployment. If unset or unreachable, each process counts separately",
  ),
} as const;

export const GRAPHQL_SETTINGS = {
  GRAPHQL_INTROSPECTION: flag(true).describe("allow introspection"),
  GRAPHQL_SUBGRAPH: flag(false).describe(
    "serve the API as an Apollo Federation 2 subgraph ([guide](federation.md))",
  ),
  GRAPHQL_PLAYGROUND: flag(true).describe("serve the playground at `/graphql` to browsers"),
  GRAPHQL_MAX_DEPTH: wholeNumber(1, 100, DEFAULT_LIMITS.depth).describe("maximum depth of an operation"),
  GRAPHQL_MAX_ALIASES: wholeNumber(0, 10_000, DEFAULT_LIMITS.aliases).describe(
    "maximum number of aliases of an operation",
  ),
  GRAPHQL_MAX_ROOT_FIELDS: wholeNumber(1, 10_000, DEFAULT_LIMITS.rootFields).describe(
    "maximum number of root fields of an operation",
  ),
  GRAPHQL_MAX_TOKENS: wholeNumber(1, 20_000, DEFAULT_LIMITS.tokens).describe(
    "maximum number of lexical tokens of a document",
  ),
  GRAPHQL_MAX_SELECTIONS: wholeNumber(1, 20_000, DEFAULT_LIMITS.selections).describe(
    "maximum number of fields and fragment spreads in a document",
  ),
  GRAPHQL_MAX_COST: wholeNumber(1, 100_000_000, DEFAULT_LIMITS.cost).describe(
    "maximum [cost](graphql.md#limits) of an operation",
  ),
  GRAPHQL_MAX_REPLY_BYTES: wholeNumber(65_536, 1_073_741_824, DEFAULT_LIMITS.replyBytes).describe(
    "maximum size of a reply, or of an event of a stream",
  ),
  PERSISTED_QUERIES: z
    .string()
    .optional()
    .describe(
      "JSON file with the [persisted queries](graphql.md#persisted-queries) that are allowed, besides the console's",
    ),
} as const;

export const WEBHOOK_SETTINGS = {
  WEBHOOKS: flag(true).describe("deliver webhooks from this process; replicas share the work"),
  WEBHOOK_CONCURRENCY: wholeNumber(1, 10_000, DEFAULT_SLOTS.total).describe(
    "maximum number of deliveries in progress; half of them are reserved for healthy endpoints",
  ),
  WEBHOOK_CONCURRENCY_PER_ACCOUNT: wholeNumber(1, 10_000, DEFAULT_SLOTS.perAccount).describe(
    "the same per account",
  ),
  WEBHOOK_CONCURRENCY_PER_ENDPOINT: wholeNumber(1, 1000, DEFAULT_SLOTS.perEndpoint).describe(
    "maximum number of deliveries in progress per endpoint",
  ),
  WEBHOOK_DISABLE_AFTER_DAYS: wholeNumber(0, 30, DEFAULT_DISABLE_AFTER_DAYS).describe(
    "number of days of failure after which an endpoint is disabled; `0` never disables it",
  ),
  WEBHOOK_PENDING_MAX_DAYS: wholeNumber(1, 30, DEFAULT_RETENTION.pendingWebhookDays).describe(
    "number of days after which a pending delivery expires, even while its endpoint is disabled",
  ),
  WEBHOOK_ALLOW_PRIVATE: flag(false).describe(
    "allow webhooks to private addresses and over `http:`; for development only",
  ),
} as const;
