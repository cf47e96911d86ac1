import { AggregatorRegistry, Gauge } from "prom-client";
import type { Metrics } from "../metrics.js";

const START_TIME = "process_start_time_seconds";

/**
 * Answers the scrapes of the primary process, with nothing before `provideWorkerMetrics`. Call it when the first listener of messages is
 * added, which receives those that have arrived before.
 */
export function answerScrapes(): void {
  new AggregatorRegistry();
}

/** Provides the metrics of a worker. @param worker label of all of them, so that none is added to that of another worker */
export function provideWorkerMetrics({ registry }: Metrics, worker: number): void {
  registry.setDefaultLabels({ worker });
  // prom-client 15 leaves its own metric of this name out of the metrics of several processes.
  registry.removeSingleMetric(START_TIME);
  new Gauge({
    name: START_TIME,
    help: "Start time of the process since unix epoch in seconds.",
    registers: [registry],
  }).set(Math.round(Date.now() / 1000 - process.uptime()));
  AggregatorRegistry.setRegistries([registry]);
}

/** Returns a reader of the metrics of all workers, for the primary process. It fails if one does not answer within five seconds. */
export function workerMetricsReader(): () => Promise<string> {
  const registry = new AggregatorRegistry();
  return () => registry.clusterMetrics();
}
