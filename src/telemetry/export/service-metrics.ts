import type { Counter } from "../counters.js";
import type { Metrics } from "../metrics.js";
import { registerPurges } from "./purge-metrics.js";
import { type MetricsRegistry, registerCounter } from "./read-metrics.js";

export function registerServiceMetrics(registry: MetricsRegistry, metrics: Metrics): void {
  registry.addHistogram({
    name: "http_request_duration_seconds",
    help: "How long replies took, from the first byte of the request's headers that was read to the last of the reply; without subscriptions.",
    labels: ["method", "route", "status"],
    read: () => metrics.replies,
  });
  registerCounter(registry, {
    name: "http_requests_abandoned_total",
    help: "Requests whose client has gone before the whole reply was out; subscriptions usually end so.",
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
    help: "Connections that were refused; the limit is that of the process or of the client's address.",
    labels: ["limit"],
    read: () => metrics.refusedConnections,
  });
  registerCounter(registry, {
    name: "http_connections_ended_total",
    help: "Connections that were ended because of what their client had not read; the reason is stalled (nothing for too long) or unsent_budget (longest without progress when the budget was exceeded).",
    labels: ["reason"],
    read: () => metrics.endedConnections,
  });
  registerCounter(registry, {
    name: "http_budget_refusals_total",
    help: "Requests that were refused because of what the process holds; the budget is unsent (replies that are not read) or bodies (bodies that are still arriving).",
    labels: ["budget"],
    read: () => metrics.budgetRefusals,
  });
  registerCounter(registry, {
    name: "user_groups_errors_total",
    help: "Errors that callers were shown, by face (rest for all but GraphQL) and code.",
    labels: ["api", "code"],
    read: () => metrics.errors,
  });
  registry.addHistogram({
    name: "user_groups_graphql_operation_duration_seconds",
    help: "How long GraphQL operations ran that were let run; the outcome is ok or errors.",
    labels: ["type", "outcome"],
    read: () => metrics.operations,
  });
  registerCounter(registry, {
    name: "user_groups_replica_reads_repeated_total",
    help: "Requests that were begun on a read replica, which failed, and done anew on the database itself.",
    labels: [],
    read: () => one(metrics.retriedReads),
  });
  registry.addHistogram({
    name: "user_groups_batched_calls",
    help: "How many calls went to the database with one statement.",
    labels: ["loader"],
    read: () => metrics.batches,
  });
  registerCounter(registry, {
    name: "user_groups_cache_requests_total",
    help: "How often something was looked for in a cache; the result is hit or miss.",
    labels: ["cache", "result"],
    read: () => cacheCounts(metrics.caches),
  });
  registerCounter(registry, {
    name: "user_groups_rate_limit_refusals_total",
    help: "Requests that a rate limit refused.",
    labels: ["policy"],
    read: () => metrics.rateLimitRefusals,
  });
  registerCounter(registry, {
    name: "user_groups_event_stream_refusals_total",
    help: "Event streams that were refused; the reason is what has as many as it may: token, api_key, address or process.",
    labels: ["reason"],
    read: () => metrics.streamRefusals,
  });
  registerCounter(registry, {
    name: "user_groups_event_stream_cutoffs_total",
    help: "Event streams that were ended; the reason is slow_consumer, event_too_large or process_memory.",
    labels: ["reason"],
    read: () => metrics.streamCutOffs,
  });
  registerCounter(registry, {
    name: "user_groups_site_config_refusals_total",
    help: "Large site configurations that were refused because too many were being processed.",
    labels: [],
    read: () => one(metrics.siteConfigRefusals),
  });
  registerCounter(registry, {
    name: "user_groups_authentication_failures_total",
    help: "Requests with credentials that are unknown, revoked or expired.",
    labels: [],
    read: () => one(metrics.authenticationFailures),
  });
  registerCounter(registry, {
    name: "user_groups_webhook_attempts_total",
    help: "Attempts to deliver a webhook; the outcome is delivered, failed (tried again later) or dead (given up).",
    labels: ["outcome"],
    read: () => metrics.webhookAttempts,
  });
  registerPurges(registry, metrics.purges);
  registerCounter(registry, {
    name: "user_groups_trace_exports_total",
    help: "Batches of spans that were sent to the collector of traces; the outcome is sent or failed.",
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
