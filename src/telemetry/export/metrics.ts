import { setTimeout as sleep } from "node:timers/promises";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";
import type { OutboxReading } from "../database-metrics.js";
import type { HttpState, Metrics } from "../metrics.js";

/**
 * Reads once for each scrape, which must neither wait long for the database nor fail with it.
 * @param read queries the database; not called again while a query is in flight
 * @returns a function that resolves to undefined if reading failed or timed out
 */
function readOncePerScrape<Reading>(
  read: () => Promise<Reading>,
  timeoutMs: number,
): () => Promise<Reading | undefined> {
  let query: Promise<Reading> | undefined;
  let scrape: Promise<Reading | undefined> | undefined;
  return () => {
    query ??= read().finally(() => {
      query = undefined;
    });
    scrape ??= Promise.race([query, sleep(timeoutMs, undefined, { ref: false })])
      .catch(() => undefined)
      .finally(() => {
        scrape = undefined;
      });
    return scrape;
  };
}

function registerReadiness(registry: Registry, isReady: () => Promise<boolean>, timeoutMs: number): void {
  const readOnce = readOncePerScrape(isReady, timeoutMs);
  new Gauge({
    name: "user_groups_ready",
    help: "1 if the process is ready, as /readyz: the database answers, and the process is not shutting down; otherwise 0.",
    registers: [registry],
    async collect() {
      this.set(Number((await readOnce()) === true));
    },
  });
}

/** Registers the metrics of the outbox. user_groups_webhook_outbox_readable reports whether it could be read. */
function registerOutboxMetrics(
  registry: Registry,
  read: () => Promise<OutboxReading>,
  timeoutMs: number,
): void {
  const registers = [registry];
  const readOnce = readOncePerScrape(read, timeoutMs);
  const setFrom = (pick: (reading: OutboxReading) => number) =>
    async function collect(this: Gauge): Promise<void> {
      const reading = await readOnce();
      if (reading) this.set(pick(reading));
      else this.remove();
    };
  new Gauge({
    name: "user_groups_webhook_outbox_readable",
    help: "1 if the outbox could be read for this scrape; if 0, its other metrics are absent.",
    registers,
    async collect() {
      this.set(Number((await readOnce()) !== undefined));
    },
  });
  new Gauge({
    name: "user_groups_webhook_deliveries_due",
    help: "Due webhook deliveries of all processes, at most 1,000 per endpoint.",
    registers,
    collect: setFrom(({ due }) => due),
  });
  new Gauge({
    name: "user_groups_webhook_lateness_seconds",
    help: "Age of the oldest due webhook delivery; excludes those that wait for an earlier event or a failing endpoint.",
    registers,
    collect: setFrom(({ lateSeconds }) => lateSeconds),
  });
  new Gauge({
    name: "user_groups_database_snapshot_age_transactions",
    help: "Transactions since the oldest snapshot in the database, since which VACUUM removes no dead rows.",
    registers,
    collect: setFrom(({ snapshotAge }) => snapshotAge),
  });
  new Gauge({
    name: "user_groups_webhook_endpoints",
    help: "Webhook endpoints of all accounts by status: unknown (nothing sent yet), healthy, failing or disabled.",
    labelNames: ["status"],
    registers,
    async collect() {
      const { endpoints = {} } = (await readOnce()) ?? {};
      this.reset();
      for (const [status, count] of Object.entries(endpoints)) this.set({ status }, count);
    },
  });
}

/** Sources of the gauges. */
export interface MetricSources {
  /** Versions of the service, Node.js and PostgreSQL. */
  readonly build: Readonly<Record<"version" | "node" | "postgresql", string>>;
  readonly http: HttpState;
  subscriptions(): number;
  webSockets(): number;
  unpublishedChanges(): number;
  /** Whether notifications from other processes are received. */
  isListening(): boolean;
  webhooksInProgress(): number;
  /** Undefined if Redis is not configured. */
  isRedisReachable(): boolean | undefined;
  /** Whether `/readyz` would answer 200. */
  isReady(): Promise<boolean>;
  outbox(): Promise<OutboxReading>;
}

/** Registers gauges that are read at each scrape. */
function registerStateMetrics(registry: Registry, sources: MetricSources): void {
  const registers = [registry];
  const { http } = sources;
  /** @param read returns undefined while the gauge is absent */
  const register = (name: string, help: string, read: () => number | boolean | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = read();
        if (value === undefined) this.remove();
        else this.set(Number(value));
      },
    });
  new Gauge({
    name: "user_groups_build_info",
    help: "Always 1; the labels contain the versions.",
    labelNames: ["version", "node", "postgresql"],
    registers,
  }).set({ ...sources.build }, 1);
  register("http_requests_in_progress", "Requests in progress, including open subscriptions.", () =>
    http.requestsInProgress(),
  );
  register("http_connections", "Open connections.", () => http.connections());
  register("http_unsent_bytes", "Bytes of replies that clients have not read yet.", () => http.unsentBytes());
  register(
    "http_large_body_bytes",
    "Declared size of the request bodies above 64 KiB that are in progress.",
    () => http.bodyBytes(),
  );
  register("user_groups_subscriptions", "Open GraphQL subscriptions.", () => sources.subscriptions());
  register("user_groups_websockets", "Open WebSockets with valid credentials.", () => sources.webSockets());
  register(
    "user_groups_changes_unpublished",
    "Changes that have not been published to subscribers yet.",
    () => sources.unpublishedChanges(),
  );
  register(
    "user_groups_notifications_listening",
    "1 while notifications from other processes arrive (changed groups, revoked API keys), otherwise 0.",
    () => sources.isListening(),
  );
  register(
    "user_groups_webhook_attempts_in_progress",
    "Webhook delivery attempts in progress in this process, at most WEBHOOK_CONCURRENCY.",
    () => sources.webhooksInProgress(),
  );
  register("user_groups_redis_up", "1 if Redis is reachable, otherwise 0; absent without Redis.", () =>
    sources.isRedisReachable(),
  );
}

/** Maximum wait of a scrape for the database. */
const DATABASE_TIMEOUT_MS = 2_000;

/** Adds the metrics whose values are read at each scrape (decision 44). */
export function registerScrapedMetrics(
  { registry }: Metrics,
  sources: MetricSources,
  databaseTimeoutMs = DATABASE_TIMEOUT_MS,
): void {
  collectDefaultMetrics({ register: registry });
  registerStateMetrics(registry, sources);
  registerReadiness(registry, () => sources.isReady(), databaseTimeoutMs);
  registerOutboxMetrics(registry, () => sources.outbox(), databaseTimeoutMs);
}
