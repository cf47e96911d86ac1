import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { DatabaseMetrics } from "./database-metrics.js";

/** Histogram bounds in seconds. */
const REPLY_TIMES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Methods with their own label value; the others are grouped to bound the number of series. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Returns the method and the registered path of a request, without a trailing slash, as metrics and traces name them. */
export function labelsOf(request: {
  readonly method: string;
  readonly routeOptions: { readonly url?: string | undefined };
}): { readonly method: string; readonly route: string } {
  const { url = "unknown" } = request.routeOptions;
  return {
    method: METHODS.has(request.method) ? request.method : "other",
    route: url.length > 1 && url.endsWith("/") ? url.slice(0, -1) : url,
  };
}

/** Counts the lookups of one cache. */
export type CountLookup = (result: "hit" | "miss") => void;

/** Current state of the HTTP server. */
export interface HttpState {
  requestsInProgress(): number;
  connections(): number;
  /** Bytes of replies that peers have not read. */
  unsentBytes(): number;
  /** Declared size of the large request bodies in progress. */
  bodyBytes(): number;
}

/** The metrics of a service. Every label combination is kept for the life of the process, so label values never come from callers. */
export class Metrics {
  readonly registry = new Registry();
  readonly database = new DatabaseMetrics(this.registry);
  readonly replies = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the first byte of the request's headers to the last byte of the reply; excludes subscriptions.",
    labelNames: ["method", "route", "status"],
    buckets: REPLY_TIMES,
    registers: [this.registry],
  });
  readonly abandonedRequests = new Counter({
    name: "http_requests_abandoned_total",
    help: "Requests whose client disconnected before the reply was complete, as subscriptions usually do.",
    registers: [this.registry],
  });
  readonly requestTimeouts = new Counter({
    name: "user_groups_request_timeouts_total",
    help: "Requests that exceeded REQUEST_TIMEOUT_MS and were answered with 503.",
    registers: [this.registry],
  });
  readonly refusedConnections = new Counter({
    name: "http_connections_refused_total",
    help: "Connections refused because of a limit: process or address.",
    labelNames: ["limit"],
    registers: [this.registry],
  });
  readonly endedConnections = new Counter({
    name: "http_connections_ended_total",
    help: "Connections closed by a limit; the reason is stalled (no progress in reading for too long), unsent_budget (least recent progress when the budget was exceeded) or pipelining (too many requests without waiting for replies).",
    labelNames: ["reason"],
    registers: [this.registry],
  });
  readonly shedRequests = new Counter({
    name: "http_requests_shed_total",
    help: "Requests refused with 503 to protect the process; the limit is process or address (requests in progress), event_loop, heap, bodies (large request bodies) or unsent (unread replies).",
    labelNames: ["limit"],
    registers: [this.registry],
  });
  readonly errors = new Counter({
    name: "user_groups_errors_total",
    help: "Errors returned to callers, by API (rest for all but GraphQL) and code.",
    labelNames: ["api", "code"],
    registers: [this.registry],
  });
  readonly operations = new Histogram({
    name: "user_groups_graphql_operation_duration_seconds",
    help: "Execution time of GraphQL operations; the outcome is ok or errors.",
    labelNames: ["type", "outcome"],
    buckets: REPLY_TIMES,
    registers: [this.registry],
  });
  readonly batches = new Histogram({
    name: "user_groups_batched_calls",
    help: "Number of calls batched into one database statement.",
    labelNames: ["loader"],
    buckets: BATCH_SIZES,
    registers: [this.registry],
  });
  readonly cacheLookups = new Counter({
    name: "user_groups_cache_requests_total",
    help: "Cache lookups; the result is hit or miss.",
    labelNames: ["cache", "result"],
    registers: [this.registry],
  });
  readonly caches = {
    apiKeys: this.#countLookupsOf("api_keys"),
    tokens: this.#countLookupsOf("tokens"),
    documents: this.#countLookupsOf("documents"),
    compiledOperations: this.#countLookupsOf("compiled_operations"),
  } as const;
  readonly rateLimitRefusals = new Counter({
    name: "user_groups_rate_limit_refusals_total",
    help: "Requests refused by a rate limit.",
    labelNames: ["policy"],
    registers: [this.registry],
  });
  readonly streamRefusals = new Counter({
    name: "user_groups_event_stream_refusals_total",
    help: "Event streams refused because of a limit; the reason is token, api_key, address or process.",
    labelNames: ["reason"],
    registers: [this.registry],
  });
  readonly streamCutOffs = new Counter({
    name: "user_groups_event_stream_cutoffs_total",
    help: "Event streams closed by the service; the reason is slow_consumer or event_too_large.",
    labelNames: ["reason"],
    registers: [this.registry],
  });
  readonly authenticationFailures = new Counter({
    name: "user_groups_authentication_failures_total",
    help: "Requests with unknown, revoked or expired credentials.",
    registers: [this.registry],
  });
  readonly embedSessions = new Counter({
    name: "user_groups_embed_sessions_created_total",
    help: "Created embed sessions.",
    registers: [this.registry],
  });
  readonly webhookAttempts = new Counter({
    name: "user_groups_webhook_attempts_total",
    help: "Webhook delivery attempts; the outcome is delivered, failed (will be retried) or dead (will not be retried).",
    labelNames: ["outcome"],
    registers: [this.registry],
  });
  readonly publishedChanges = new Counter({
    name: "user_groups_changes_total",
    help: "Changes of user groups that this process made and publishes, by kind. Each update adds former values to the history.",
    labelNames: ["kind"],
    registers: [this.registry],
  });
  readonly invalidProperties = new Counter({
    name: "user_groups_invalid_properties_total",
    help: "User groups that were written although their properties violate the schema of their environment.",
    registers: [this.registry],
  });
  readonly purgedRows = new Counter({
    name: "user_groups_purged_rows_total",
    help: "Rows removed or expired because of their age, by purge.",
    labelNames: ["purge"],
    registers: [this.registry],
  });
  readonly purgeFailures = new Counter({
    name: "user_groups_purge_failures_total",
    help: "Failed runs of a purge, which are retried.",
    labelNames: ["purge"],
    registers: [this.registry],
  });
  readonly lastPurges = new Gauge({
    name: "user_groups_purge_last_success_timestamp_seconds",
    help: "Time of the last complete run of a purge; absent before the first.",
    labelNames: ["purge"],
    registers: [this.registry],
  });
  readonly purgeBacklogs = new Gauge({
    name: "user_groups_purge_backlog_seconds",
    help: "How long the oldest row of a purge is overdue, as of the last batch; absent before the first.",
    labelNames: ["purge"],
    registers: [this.registry],
  });
  readonly spanExports = new Counter({
    name: "user_groups_trace_exports_total",
    help: "Batches of spans exported to the trace collector; the outcome is sent or failed.",
    labelNames: ["outcome"],
    registers: [this.registry],
  });

  constructor() {
    startAtZero(this.refusedConnections, ["process"], ["address"]);
    startAtZero(this.endedConnections, ["stalled"], ["unsent_budget"], ["pipelining"]);
    startAtZero(
      this.shedRequests,
      ["process"],
      ["address"],
      ["event_loop"],
      ["heap"],
      ["bodies"],
      ["unsent"],
    );
    for (const api of ["rest", "graphql"]) startAtZero(this.errors, [api, "internal"], [api, "unavailable"]);
    startAtZero(this.rateLimitRefusals, ["requests"], ["auth-failures"]);
    startAtZero(this.streamRefusals, ["token"], ["api_key"], ["address"], ["process"]);
    startAtZero(this.streamCutOffs, ["slow_consumer"], ["event_too_large"]);
    startAtZero(this.webhookAttempts, ["delivered"], ["failed"], ["dead"]);
    startAtZero(this.spanExports, ["sent"], ["failed"]);
  }

  #countLookupsOf(cache: string): CountLookup {
    startAtZero(this.cacheLookups, [cache, "hit"], [cache, "miss"]);
    return (result) => this.cacheLookups.inc({ cache, result });
  }
}

/** Creates series that exist from the start, so that their first increment shows as a change. */
function startAtZero(counter: Counter<string>, ...series: readonly (readonly string[])[]): void {
  for (const labels of series) counter.labels(...labels).inc(0);
}
