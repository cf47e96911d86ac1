import { collectDefaultMetrics } from "prom-client";
import type { Tally } from "../tally.js";
import { tellDatabases } from "./database-metrics.js";
import { type OutboxReading, watchOutbox } from "./outbox-reading.js";
import { MetricsRegistry } from "./read-metrics.js";
import { type StateSources, tellOutbox, tellStates } from "./state-metrics.js";
import { tellTally } from "./tally-metrics.js";

/** What the metrics are read from. */
export interface MetricSources extends StateSources {
  readonly tally: Tally;
  outbox(): Promise<OutboxReading>;
}

/** The metrics of a process, in Prometheus' text format (decision 44). */
export interface Metrics {
  readonly contentType: string;
  read(): Promise<string>;
}

/** How long a scrape waits for the database. */
const OUTBOX_PATIENCE_MS = 2_000;

export function createMetrics(sources: MetricSources, outboxPatienceMs = OUTBOX_PATIENCE_MS): Metrics {
  const registry = new MetricsRegistry();
  const outbox = watchOutbox(() => sources.outbox(), outboxPatienceMs);
  collectDefaultMetrics({ register: registry });
  tellTally(registry, sources.tally);
  tellDatabases(registry, sources.tally.databases);
  tellStates(registry, sources);
  tellOutbox(registry, outbox);
  return {
    contentType: registry.contentType,
    async read() {
      await outbox.refresh();
      return registry.metrics();
    },
  };
}
