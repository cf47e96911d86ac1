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
    "maximum number of open connections; further ones get 503. A client address (IPv6: /64) may have a quarter, and then gets 429; `TRUSTED_PROXIES` are exempt",
  ),
  REQUEST_RECEIVE_TIMEOUT_MS: wholeNumber(100, 600_000, DEFAULT_CONNECTION_LIMITS.receiveTimeoutMs).describe(
    "maximum time to receive the headers of a request, and then its body; then 408",
  ),
  STALLED_CONNECTION_TIMEOUT_MS: wholeNumber(150, 600_000, DEFAULT_CONNECTION_LIMITS.stallTimeoutMs).describe(
    "time without progress of a client that reads a reply or stream, after which its connection is reset",
  ),
  RATE_LIMIT: wholeNumber(0, 100_000_000, 0).describe(
    "maximum request cost per minute, for each API key, each group's front ends and each address without credentials; `0` disables the limit ([guide](rate-limits.md))",
  ),
  AUTH_FAILURE_LIMIT: wholeNumber(0, 100_000_000, 1000).describe(
    "maximum number of failed authentications per address and minute; `0` disables the limit",
  ),
  EVENT_STREAMS_PER_PROCESS: wholeNumber(1, 1_000_000, DEFAULT_EVENT_STREAM_LIMITS.perProcess).describe(
    "maximum number of event streams; a tenth for a user group, a fifth for an API key, two fifths for a client address, except `TRUSTED_PROXIES`",
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
  GRAPHQL_MAX_COST: wholeNumber(1, 100_000_000, DEFAULT_LIMITS.cost).describe(
    "maximum [cost](graphql.md#limits) of an operation",
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
    "maximum number of deliveries in progress, a third for an account; half of them are reserved for healthy endpoints",
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
