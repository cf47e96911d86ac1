import type { Registry } from "prom-client";
import type { OutboxReading } from "./outbox-reading.js";
import { registerGauge } from "./read-metrics.js";

/** Sources of the gauges. */
export interface StateSources {
  /** Versions of the service, Node.js and PostgreSQL. */
  readonly build: Readonly<Record<"version" | "node" | "postgresql", string>>;
  readonly http: {
    requestsInProgress(): number;
    connections(): number;
    unsentBytes(): number;
    bodyBytes(): number;
  };
  subscriptions(): number;
  unpublishedChanges(): number;
  /** Whether notifications from other processes are received. */
  isListening(): boolean;
  webhooksInProgress(): number;
  /** Undefined if Redis is not configured. */
  isRedisReachable(): boolean | undefined;
  /** Number of read replicas in use and excluded; undefined if none are configured. */
  replicas(): { readonly in: number; readonly out: number } | undefined;
}

export function registerStateMetrics(registry: Registry, sources: StateSources): void {
  const { version, node, postgresql } = sources.build;
  registerGauge(registry, {
    name: "user_groups_build_info",
    help: "Always 1; the labels tell what runs.",
    labels: ["version", "node", "postgresql"],
    read: () => [[[version, node, postgresql], 1]],
  });
  registerGauge(registry, {
    name: "http_requests_in_progress",
    help: "Requests that are not answered yet, open subscriptions among them.",
    labels: [],
    read: () => [[[], sources.http.requestsInProgress()]],
  });
  registerGauge(registry, {
    name: "http_connections",
    help: "Open connections.",
    labels: [],
    read: () => [[[], sources.http.connections()]],
  });
  registerGauge(registry, {
    name: "http_unsent_bytes",
    help: "Bytes of replies that the process holds because their clients have not read them yet.",
    labels: [],
    read: () => [[[], sources.http.unsentBytes()]],
  });
  registerGauge(registry, {
    name: "http_incomplete_body_bytes",
    help: "Bytes that the process holds of request bodies that have not arrived as a whole; small bodies are not counted.",
    labels: [],
    read: () => [[[], sources.http.bodyBytes()]],
  });
  registerGauge(registry, {
    name: "user_groups_subscriptions",
    help: "Open GraphQL subscriptions.",
    labels: [],
    read: () => [[[], sources.subscriptions()]],
  });
  registerGauge(registry, {
    name: "user_groups_changes_unpublished",
    help: "Changes that subscribers have not been told of yet.",
    labels: [],
    read: () => [[[], sources.unpublishedChanges()]],
  });
  registerGauge(registry, {
    name: "user_groups_notifications_listening",
    help: "Whether notifications of other processes arrive: changes of groups, and revoked API keys.",
    labels: [],
    read: () => [[[], toNumber(sources.isListening())]],
  });
  registerGauge(registry, {
    name: "user_groups_webhook_attempts_in_progress",
    help: "Attempts to deliver a webhook that are in progress in this process; WEBHOOK_CONCURRENCY is their maximum.",
    labels: [],
    read: () => [[[], sources.webhooksInProgress()]],
  });
  registerGauge(registry, {
    name: "user_groups_redis_up",
    help: "Whether Redis, where replicas count rate limits together, is in reach; absent where there is none.",
    labels: [],
    read: () => [[[], toNumber(sources.isRedisReachable())]],
  });
  registerGauge(registry, {
    name: "user_groups_replicas",
    help: "Read replicas; the state is in, or out for those that do not answer or lag too much; absent where there are none.",
    labels: ["state"],
    *read() {
      const replicas = sources.replicas();
      if (!replicas) return;
      yield [["in"], replicas.in];
      yield [["out"], replicas.out];
    },
  });
}

export function registerOutboxMetrics(
  registry: Registry,
  outbox: { readonly last: OutboxReading | undefined },
): void {
  registerGauge(registry, {
    name: "user_groups_webhook_outbox_readable",
    help: "Whether the outbox could be read for this answer; if not, its other metrics are absent.",
    labels: [],
    read: () => [[[], toNumber(outbox.last !== undefined)]],
  });
  registerGauge(registry, {
    name: "user_groups_webhook_deliveries_due",
    help: "Webhooks of all processes that are due; of each endpoint a thousand are counted at most.",
    labels: [],
    read: () => [[[], outbox.last?.due]],
  });
  registerGauge(registry, {
    name: "user_groups_webhook_lateness_seconds",
    help: "For how long the webhook that is due longest could have been sent; those that wait for an earlier one, or for an endpoint that fails, do not count.",
    labels: [],
    read: () => [[[], outbox.last?.lateSeconds]],
  });
  registerGauge(registry, {
    name: "user_groups_webhook_endpoints",
    help: "Webhook endpoints of all accounts by status: unknown (nothing was sent yet), healthy, failing or disabled.",
    labels: ["status"],
    read: () => Object.entries(outbox.last?.endpoints ?? {}).map(([status, count]) => [[status], count]),
  });
}

function toNumber(state: boolean | undefined): number | undefined {
  return state === undefined ? undefined : Number(state);
}
