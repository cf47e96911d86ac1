import { collectDefaultMetrics } from "prom-client";
import type { Metrics } from "../metrics.js";
import { registerDatabaseMetrics } from "./database-metrics.js";
import { createOutboxReader, type OutboxReading } from "./outbox-reading.js";
import { MetricsRegistry } from "./read-metrics.js";
import { registerServiceMetrics } from "./service-metrics.js";
import { registerOutboxMetrics, registerStateMetrics, type StateSources } from "./state-metrics.js";

export interface MetricSources extends StateSources {
  /** Number of the worker process: a label of all its metrics. */
  readonly worker?: number | undefined;
  readonly metrics: Metrics;
  outbox(): Promise<OutboxReading>;
}

/** Exports the metrics of a process in the Prometheus text format (decision 44). */
export interface MetricsExporter {
  readonly contentType: string;
  read(): Promise<string>;
}

/** Maximum wait of a scrape for the database. */
const DATABASE_TIMEOUT_MS = 2_000;

export function createMetricsExporter(
  sources: MetricSources,
  databaseTimeoutMs = DATABASE_TIMEOUT_MS,
): MetricsExporter {
  const registry = new MetricsRegistry();
  if (sources.worker !== undefined) registry.setDefaultLabels({ worker: sources.worker });
  const outbox = createOutboxReader(() => sources.outbox(), databaseTimeoutMs);
  collectDefaultMetrics({ register: registry });
  registerServiceMetrics(registry, sources.metrics);
  registerDatabaseMetrics(registry, sources.metrics.databases);
  registerStateMetrics(registry, sources);
  registerOutboxMetrics(registry, outbox);
  return {
    contentType: registry.contentType,
    async read() {
      await outbox.refresh();
      return registry.metrics();
    },
  };
}
