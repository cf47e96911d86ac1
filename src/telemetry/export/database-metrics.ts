import type { DatabaseTally, PoolUsage } from "../database-tally.js";
import type { Tally } from "../tally.js";
import { type MetricsRegistry, tellCounts, tellState } from "./read-metrics.js";

type Databases = Tally["databases"];
type Labelled<Value> = readonly [labels: readonly string[], value: Value];

/** Has a registry tell of the work with databases; the server is primary, or replica for all of them together. */
export function tellDatabases(registry: MetricsRegistry, databases: Databases): void {
  registry.addHistogram({
    name: "user_groups_database_statement_duration_seconds",
    help: "How long statements took on their connection; the outcome is ok or error.",
    labels: ["server", "statement", "outcome"],
    *read() {
      for (const [server, { statements }] of databases)
        for (const [labels, times] of statements) yield [[...server, ...labels], times];
    },
  });
  registry.addHistogram({
    name: "user_groups_database_connection_wait_seconds",
    help: "How long a free connection was waited for, or a new one made, in vain too.",
    labels: ["server"],
    read: () => ofEach(databases, ({ connectionWaits }) => connectionWaits),
  });
  tellCounts(registry, {
    name: "user_groups_database_queue_refusals_total",
    help: "Work that was refused because DATABASE_QUEUE_SIZE others were waiting for a connection.",
    labels: ["server"],
    read: () => ofEach(databases, ({ queueRefusals }) => queueRefusals),
  });
  tellCounts(registry, {
    name: "user_groups_database_statement_repetitions_total",
    help: "Statements that ran once more because their connection was lost.",
    labels: ["server"],
    read: () => ofEach(databases, ({ repeatedStatements }) => repeatedStatements),
  });
  tellState(registry, {
    name: "user_groups_database_connections",
    help: "Connections to the database; the state is used or idle.",
    labels: ["server", "state"],
    *read() {
      for (const [server, tally] of databases) {
        yield [[...server, "used"], sumOf(tally, ({ used }) => used)];
        yield [[...server, "idle"], sumOf(tally, ({ idle }) => idle)];
      }
    },
  });
  tellState(registry, {
    name: "user_groups_database_connections_max",
    help: "The most connections that there may be, DATABASE_POOL_SIZE to each server.",
    labels: ["server"],
    read: () => ofEach(databases, (tally) => sumOf(tally, ({ most }) => most)),
  });
  tellState(registry, {
    name: "user_groups_database_waiting",
    help: "Work that waits for a connection to the database.",
    labels: ["server"],
    read: () => ofEach(databases, (tally) => sumOf(tally, ({ waiting }) => waiting)),
  });
}

function* ofEach<Value>(
  databases: Databases,
  pick: (tally: DatabaseTally) => Value,
): Generator<Labelled<Value>> {
  for (const [server, tally] of databases) yield [server, pick(tally)];
}

function sumOf({ pools }: DatabaseTally, pick: (usage: PoolUsage) => number): number {
  return [...pools].reduce((sum, { poolUsage }) => sum + pick(poolUsage), 0);
}
