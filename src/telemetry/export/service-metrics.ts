import type { Counter } from "../counters.js";
import type { Metrics } from "../metrics.js";
import { registerPurges } from "./purge-metrics.js";
import { type MetricsRegistry, registerCounter } from "./read-metrics.js";

export function registerServiceMetrics(registry: MetricsRegistry, metrics: Metrics): void {
  registry.addHistogram({
    name: "http_request_duration_seconds",
    help: "Time from the first byte of the request's headers to the last byte of the reply; excludes subscriptions.",
    labels: ["method", "route", "status"],
    read: () => metrics.replies,
  });
  registerCounter(registry, {
    name: "http_requests_abandoned_total",
    help: "Requests whose client disconnected before the reply was complete, as subscriptions usually do.",
    labels: [],
    read: () => one(metrics.abandonedRequests),
  });
  registerCounter(registry, {
    name: "user_groups_request_timeouts_total",
    help: "Requests that exceeded REQUEST_TIMEOUT_MS and were answered with 503.",
    labels: [],
    read: () => one(metrics.requestTimeouts),
  });
  registerCounter(registry, {
    name: "http_connections_refused_total",
    help: "Connections refused because of a limit: process or address.",
    labels: ["limit"],
    read: () => metrics.refusedConnections,
  });
  registerCounter(registry, {
    name: "http_connections_ended_total",
    help: "Connections closed because the client did not read; the reason is stalled (no progress for too long) or unsent_budget (least recent progress when the budget was exceeded).",
    labels: ["reason"],
    read: () => metrics.endedConnections,
  });
  registerCounter(registry, {
    name: "http_requests_shed_total",
    help: "Requests refused with 503 to protect the process; the limit is process or address (requests in progress), event_loop, heap, bodies (large request bodies) or unsent (unread replies).",
    labels: ["limit"],
    read: () => metrics.shedRequests,
  });
  registerCounter(registry, {
    name: "user_groups_errors_total",
    help: "Errors returned to callers, by API (rest for all but GraphQL) and code.",
    labels: ["api", "code"],
    read: () => metrics.errors,
  });
  registry.addHistogram({
    name: "user_groups_graphql_operation_duration_seconds",
    help: "Execution time of GraphQL operations; the outcome is ok or errors.",
    labels: ["type", "outcome"],
    read: () => metrics.operations,
  });
  registerCounter(registry, {
    name: "user_groups_replica_reads_repeated_total",
    help: "Requests that failed on a read replica and were repeated on the primary.",
    labels: [],
    read: () => one(metrics.retriedReads),
  });
  registry.addHistogram({
    name: "user_groups_batched_calls",
    help: "Number of calls batched into one database statement.",
    labels: ["loader"],
    read: () => metrics.batches,
  });
  registerCounter(registry, {
    name: "user_groups_cache_requests_total",
    help: "Cache lookups; the result is hit or miss.",
    labels: ["cache", "result"],
    read: () => cacheCounts(metrics.caches),
  });
  registerCounter(registry, {
    name: "user_groups_rate_limit_refusals_total",
    help: "Requests refused by a rate limit.",
    labels: ["policy"],
    read: () => metrics.rateLimitRefusals,
  });
  registerCounter(registry, {
    name: "user_groups_event_stream_refusals_total",
    help: "Event streams refused because of a limit; the reason is token, api_key, address or process.",
    labels: ["reason"],
    read: () => metrics.streamRefusals,
  });
  registerCounter(registry, {
    name: "user_groups_event_stream_cutoffs_total",
    help: "Event streams closed by the service; the reason is slow_consumer, event_too_large or process_memory.",
    labels: ["reason"],
    read: () => metrics.streamCutOffs,
  });
  registerCounter(registry, {
    name: "user_groups_authentication_failures_total",
    help: "Requests with unknown, revoked or expired credentials.",
    labels: [],
    read: () => one(metrics.authenticationFailures),
  });
  registerCounter(registry, {
    name: "user_groups_embed_sessions_created_total",
    help: "Created embed sessions.",
    labels: [],
    read: () => one(metrics.embedSessions),
  });
  registerCounter(registry, {
    name: "user_groups_webhook_attempts_total",
    help: "Webhook delivery attempts; the outcome is delivered, failed (will be retried) or dead (will not be retried).",
    labels: ["outcome"],
    read: () => metrics.webhookAttempts,
  });
  registerPurges(registry, metrics.purges);
  registerCounter(registry, {
    name: "user_groups_trace_exports_total",
    help: "Batches of spans exported to the trace collector; the outcome is sent or failed.",
    labels: ["outcome"],
    read: () => metrics.spanExports,
  });
}

function one(count: Counter): readonly (readonly [readonly string[], Counter])[] {
  return [[[], count]];
}

function* cacheCounts(
  caches: Metrics["caches"],
): Generator<readonly [readonly string[], { readonly value: number }]> {
  const named = [
    ["api_keys", caches.apiKeys],
    ["tokens", caches.tokens],
    ["documents", caches.documents],
    ["compiled_operations", caches.compiledOperations],
  ] as const;
  for (const [cache, { hits, misses }] of named) {
    yield [[cache, "hit"], { value: hits }];
    yield [[cache, "miss"], { value: misses }];
  }
}
