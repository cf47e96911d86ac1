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
  webSockets(): number;
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
    help: "Always 1; the labels contain the versions.",
    labels: ["version", "node", "postgresql"],
    read: () => [[[version, node, postgresql], 1]],
  });
  registerGauge(registry, {
    name: "http_requests_in_progress",
    help: "Requests in progress, including open subscriptions.",
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
    help: "Bytes of replies that clients have not read yet.",
    labels: [],
    read: () => [[[], sources.http.unsentBytes()]],
  });
  registerGauge(registry, {
    name: "http_large_body_bytes",
    help: "Declared size of the request bodies above 64 KiB that are in progress.",
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
    name: "user_groups_websockets",
    help: "Open WebSockets with valid credentials.",
    labels: [],
    read: () => [[[], sources.webSockets()]],
  });
  registerGauge(registry, {
    name: "user_groups_changes_unpublished",
    help: "Changes that have not been published to subscribers yet.",
    labels: [],
    read: () => [[[], sources.unpublishedChanges()]],
  });
  registerGauge(registry, {
    name: "user_groups_notifications_listening",
    help: "1 while notifications from other processes arrive (changed groups, revoked API keys), otherwise 0.",
    labels: [],
    read: () => [[[], toNumber(sources.isListening())]],
  });
  registerGauge(registry, {
    name: "user_groups_webhook_attempts_in_progress",
    help: "Webhook delivery attempts in progress in this process, at most WEBHOOK_CONCURRENCY.",
    labels: [],
    read: () => [[[], sources.webhooksInProgress()]],
  });
  registerGauge(registry, {
    name: "user_groups_redis_up",
    help: "1 if Redis is reachable, otherwise 0; absent without Redis.",
    labels: [],
    read: () => [[[], toNumber(sources.isRedisReachable())]],
  });
  registerGauge(registry, {
    name: "user_groups_replicas",
    help: "Read replicas in use (in) or excluded because they are unreachable or lag too far behind (out); absent without replicas.",
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
    help: "1 if the outbox could be read for this scrape; if 0, its other metrics are absent.",
    labels: [],
    read: () => [[[], toNumber(outbox.last !== undefined)]],
  });
  registerGauge(registry, {
    name: "user_groups_webhook_deliveries_due",
    help: "Due webhook deliveries of all processes, at most 1,000 per endpoint.",
    labels: [],
    read: () => [[[], outbox.last?.due]],
  });
  registerGauge(registry, {
    name: "user_groups_webhook_lateness_seconds",
    help: "Age of the oldest due webhook delivery; excludes those that wait for an earlier event or a failing endpoint.",
    labels: [],
    read: () => [[[], outbox.last?.lateSeconds]],
  });
  registerGauge(registry, {
    name: "user_groups_database_snapshot_age_transactions",
    help: "Transactions since the oldest snapshot in the database, since which VACUUM removes no dead rows.",
    labels: [],
    read: () => [[[], outbox.last?.snapshotAge]],
  });
  registerGauge(registry, {
    name: "user_groups_webhook_endpoints",
    help: "Webhook endpoints of all accounts by status: unknown (nothing sent yet), healthy, failing or disabled.",
    labels: ["status"],
    read: () => Object.entries(outbox.last?.endpoints ?? {}).map(([status, count]) => [[status], count]),
  });
}

function toNumber(state: boolean | undefined): number | undefined {
  return state === undefined ? undefined : Number(state);
}
