import { z } from "zod";
import { DEFAULT_EVENT_STREAM_LIMITS } from "../domain/requests/event-stream-limits.js";
import { DEFAULT_LIMITS } from "../graphql/shared/operation-limits.js";
import { DEFAULT_CONNECTION_LIMITS } from "../http/server/connection-limits.js";
import {
  DEFAULT_DISABLE_AFTER_DAYS,
  DEFAULT_PENDING_MAX_DAYS,
  DEFAULT_SLOTS,
} from "../services/webhooks/options.js";
import { flag, redisUrl, wholeNumber } from "./setting-types.js";

/** What callers may occupy: connections, memory, time, requests and event streams. */
export const LIMIT_SETTINGS = {
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000, DEFAULT_CONNECTION_LIMITS.maxConnections).describe(
    "maximum number of open connections of a process; further ones get 503",
  ),
  MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(
    1,
    1_000_000,
    DEFAULT_CONNECTION_LIMITS.maxConnectionsPerAddress,
  ).describe(
    "maximum number of open connections of a client address (IPv6: of a /64 network); further ones get 429. Addresses in `TRUSTED_PROXIES` have no limit of their own: set it behind a load balancer",
  ),
  REQUEST_RECEIVE_TIMEOUT_MS: wholeNumber(100, 600_000, DEFAULT_CONNECTION_LIMITS.receiveTimeoutMs).describe(
    "maximum time in which the headers of a request, and then its body, must arrive; 408 beyond",
  ),
  STALLED_CONNECTION_TIMEOUT_MS: wholeNumber(150, 600_000, DEFAULT_CONNECTION_LIMITS.stallTimeoutMs).describe(
    "time after which a connection is reset whose client reads nothing of a reply or stream",
  ),
  MAX_UNSENT_BYTES: wholeNumber(1_048_576, 999_999_999, DEFAULT_CONNECTION_LIMITS.maxUnsentBytes).describe(
    "maximum number of bytes of replies that clients have not read, over all connections of a process. Beyond it the connections that have waited longest for their client are reset; if that does not suffice, large replies are replaced by 503",
  ),
  MAX_INCOMPLETE_BODY_BYTES: wholeNumber(
    1_048_576,
    999_999_999,
    DEFAULT_CONNECTION_LIMITS.maxBodyBytes,
  ).describe(
    "maximum number of bytes of request bodies that have not arrived as a whole, over all connections of a process; beyond it bodies above 4 KiB get 503, those first of which nothing has come for longest",
  ),
  RATE_LIMIT: wholeNumber(0, 100_000_000, 0).describe(
    "the points of each API key in a minute; 0 for any number",
  ),
  AUTH_FAILURE_LIMIT: wholeNumber(0, 100_000_000, 1000).describe(
    "the failed authentications of an address in a minute, after which it is refused; 0 for any number",
  ),
  EVENT_STREAMS_PER_TOKEN: wholeNumber(1, 1_000_000, DEFAULT_EVENT_STREAM_LIMITS.perToken).describe(
    "how many event streams may be open with the token of one user group, at each process",
  ),
  EVENT_STREAMS_PER_API_KEY: wholeNumber(1, 1_000_000, DEFAULT_EVENT_STREAM_LIMITS.perKey).describe(
    "how many event streams may be open with one API key, at each process",
  ),
  EVENT_STREAMS_PER_ADDRESS: wholeNumber(1, 1_000_000, DEFAULT_EVENT_STREAM_LIMITS.perAddress).describe(
    "how many event streams may be open from one client address, at each process; `TRUSTED_PROXIES` themselves have no limit",
  ),
  EVENT_STREAMS_PER_PROCESS: wholeNumber(1, 1_000_000, DEFAULT_EVENT_STREAM_LIMITS.perProcess).describe(
    "how many event streams one process has open",
  ),
  EVENT_STREAM_UNREAD_BYTES: wholeNumber(
    65_536,
    536_870_912,
    DEFAULT_EVENT_STREAM_LIMITS.unreadBytes,
  ).describe(
    "how many bytes of one event stream may be unread, and how large one event may be: beyond, the stream ends",
  ),
  EVENT_STREAM_TOTAL_UNREAD_BYTES: wholeNumber(
    65_536,
    999_999_999,
    DEFAULT_EVENT_STREAM_LIMITS.totalUnreadBytes,
  ).describe(
    "how many bytes of all event streams of a process may be unread: beyond, the streams with the largest unread part are closed",
  ),
  REDIS_URL: redisUrl().describe(
    "a Redis where replicas count rate limits together: `redis://user:password@host:6379/0`, or `rediss://` for TLS; a database of its own for each deployment. Not set, or out of reach: each process counts in its memory",
  ),
} as const;

/** What GraphQL operations may ask for. */
export const GRAPHQL_SETTINGS = {
  GRAPHQL_INTROSPECTION: flag(true).describe("whether anyone may read the schema"),
  GRAPHQL_PLAYGROUND: flag(true).describe("whether `/graphql` shows the playground to a browser"),
  GRAPHQL_MAX_DEPTH: wholeNumber(1, 100, DEFAULT_LIMITS.depth).describe(
    "the most levels of a GraphQL operation",
  ),
  GRAPHQL_MAX_ALIASES: wholeNumber(0, 10_000, DEFAULT_LIMITS.aliases).describe(
    "the most aliases of an operation",
  ),
  GRAPHQL_MAX_ROOT_FIELDS: wholeNumber(1, 10_000, DEFAULT_LIMITS.rootFields).describe(
    "the most fields at the top of an operation",
  ),
  GRAPHQL_MAX_TOKENS: wholeNumber(1, 20_000, DEFAULT_LIMITS.tokens).describe(
    "the most tokens of a GraphQL document",
  ),
  GRAPHQL_MAX_SELECTIONS: wholeNumber(1, 20_000, DEFAULT_LIMITS.selections).describe(
    "maximum number of fields and fragment spreads written in a GraphQL document",
  ),
  GRAPHQL_MAX_COST: wholeNumber(1, 100_000_000, DEFAULT_LIMITS.cost).describe(
    "the most that an operation may cost",
  ),
  GRAPHQL_MAX_REPLY_BYTES: wholeNumber(65_536, 1_073_741_824, DEFAULT_LIMITS.replyBytes).describe(
    "maximum size of a GraphQL reply, or of one event of a stream, in bytes",
  ),
  TRUSTED_DOCUMENTS: z
    .string()
    .optional()
    .describe("a JSON file with the only GraphQL documents that run, beside the console's"),
} as const;

/** How webhooks are delivered. */
export const WEBHOOK_SETTINGS = {
  WEBHOOKS: flag(true).describe("whether this process delivers webhooks; replicas share the work"),
  WEBHOOK_CONCURRENCY: wholeNumber(1, 10_000, DEFAULT_SLOTS.total).describe(
    "the maximum number of deliveries in progress in this process; half of them are kept for endpoints that answered last time",
  ),
  WEBHOOK_CONCURRENCY_PER_ACCOUNT: wholeNumber(1, 10_000, DEFAULT_SLOTS.perAccount).describe(
    "the maximum number of those for one account; half of them are kept likewise",
  ),
  WEBHOOK_CONCURRENCY_PER_ENDPOINT: wholeNumber(1, 1000, DEFAULT_SLOTS.perEndpoint).describe(
    "the maximum number of those for one endpoint",
  ),
  WEBHOOK_DISABLE_AFTER_DAYS: wholeNumber(0, 30, DEFAULT_DISABLE_AFTER_DAYS).describe(
    "an endpoint is disabled when every attempt in so many days has failed; 0 never disables it",
  ),
  WEBHOOK_PENDING_MAX_DAYS: wholeNumber(1, 30, DEFAULT_PENDING_MAX_DAYS).describe(
    "how many days a delivery may wait before it is given up, also while its endpoint is disabled",
  ),
  WEBHOOK_ALLOW_PRIVATE: flag(false).describe(
    "whether webhooks may go to private addresses, and by `http:`: for development",
  ),
} as const;
