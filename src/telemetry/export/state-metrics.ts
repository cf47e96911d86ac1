import { Gauge, type Registry } from "prom-client";

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

/** Registers gauges that are read at each scrape. */
export function registerStateMetrics(registry: Registry, sources: StateSources): void {
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
  new Gauge({
    name: "user_groups_replicas",
    help: "Read replicas in use (in) or excluded because they are unreachable or lag too far behind (out); absent without replicas.",
    labelNames: ["state"],
    registers,
    collect() {
      const replicas = sources.replicas();
      if (!replicas) return;
      this.set({ state: "in" }, replicas.in);
      this.set({ state: "out" }, replicas.out);
    },
  });
}
