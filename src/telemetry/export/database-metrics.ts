import type { DatabaseMetrics, PoolUsage } from "../database-metrics.js";
import type { Metrics } from "../metrics.js";
import { type MetricsRegistry, registerCounter, registerGauge } from "./read-metrics.js";

type Databases = Metrics["databases"];
type Labelled<Value> = readonly [labels: readonly string[], value: Value];

/** Registers the database metrics. The label `server` is `primary`, or `replica` for all replicas together. */
export function registerDatabaseMetrics(registry: MetricsRegistry, databases: Databases): void {
  registry.addHistogram({
    name: "user_groups_database_statement_duration_seconds",
    help: "Time that statements took on their connection; the outcome is ok or error.",
    labels: ["server", "statement", "outcome"],
    *read() {
      for (const [server, { statements }] of databases)
        for (const [labels, times] of statements) yield [[...server, ...labels], times];
    },
  });
  registry.addHistogram({
    name: "user_groups_database_connection_wait_seconds",
    help: "Time spent waiting for a connection, including failed attempts.",
    labels: ["server"],
    read: () => ofEach(databases, ({ connectionWaits }) => connectionWaits),
  });
  registerCounter(registry, {
    name: "user_groups_database_queue_refusals_total",
    help: "Requests refused because DATABASE_QUEUE_SIZE others were waiting for a connection.",
    labels: ["server"],
    read: () => ofEach(databases, ({ queueRefusals }) => queueRefusals),
  });
  registerCounter(registry, {
    name: "user_groups_database_statement_repetitions_total",
    help: "Statements retried after a lost connection.",
    labels: ["server"],
    read: () => ofEach(databases, ({ retriedStatements }) => retriedStatements),
  });
  registerGauge(registry, {
    name: "user_groups_database_connections",
    help: "Connections to the database; the state is used or idle.",
    labels: ["server", "state"],
    *read() {
      for (const [server, metrics] of databases) {
        yield [[...server, "used"], sumOf(metrics, ({ used }) => used)];
        yield [[...server, "idle"], sumOf(metrics, ({ idle }) => idle)];
      }
    },
  });
  registerGauge(registry, {
    name: "user_groups_database_connections_max",
    help: "Maximum number of connections, DATABASE_POOL_SIZE per server.",
    labels: ["server"],
    read: () => ofEach(databases, (metrics) => sumOf(metrics, ({ max }) => max)),
  });
  registerGauge(registry, {
    name: "user_groups_database_waiting",
    help: "Requests waiting for a database connection.",
    labels: ["server"],
    read: () => ofEach(databases, (metrics) => sumOf(metrics, ({ waiting }) => waiting)),
  });
}

function* ofEach<Value>(
  databases: Databases,
  pick: (metrics: DatabaseMetrics) => Value,
): Generator<Labelled<Value>> {
  for (const [server, metrics] of databases) yield [server, pick(metrics)];
}

function sumOf({ pools }: DatabaseMetrics, pick: (usage: PoolUsage) => number): number {
  return [...pools].reduce((sum, { poolUsage }) => sum + pick(poolUsage), 0);
}
