import { collectDefaultMetrics } from "prom-client";
import type { Metrics } from "../metrics.js";
import { type OutboxReading, registerOutboxMetrics } from "./outbox-metrics.js";
import { registerStateMetrics, type StateSources } from "./state-metrics.js";

export interface MetricSources extends StateSources {
  outbox(): Promise<OutboxReading>;
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
  registerOutboxMetrics(registry, () => sources.outbox(), databaseTimeoutMs);
}
