import { collectDefaultMetrics } from "prom-client";
import type { Metrics } from "../metrics.js";
import { tellDatabases } from "./database-metrics.js";
import { type OutboxReading, watchOutbox } from "./outbox-reading.js";
import { MetricsRegistry } from "./read-metrics.js";
import { registerServiceMetrics } from "./service-metrics.js";
import { type StateSources, tellOutbox, tellStates } from "./state-metrics.js";

/** What the metrics are read from. */
export interface MetricSources extends StateSources {
  readonly metrics: Metrics;
  outbox(): Promise<OutboxReading>;
}

/** The metrics of a process, in Prometheus' text format (decision 44). */
export interface MetricsExporter {
  readonly contentType: string;
  read(): Promise<string>;
}

/** How long a scrape waits for the database. */
const OUTBOX_TIMEOUT_MS = 2_000;

export function createMetricsExporter(
  sources: MetricSources,
  outboxTimeoutMs = OUTBOX_TIMEOUT_MS,
): MetricsExporter {
  const registry = new MetricsRegistry();
  const outbox = watchOutbox(() => sources.outbox(), outboxTimeoutMs);
  collectDefaultMetrics({ register: registry });
  registerServiceMetrics(registry, sources.metrics);
  tellDatabases(registry, sources.metrics.databases);
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
