import type { Registry } from "prom-client";
import type { Metrics } from "../metrics.js";
import { registerCounter, registerGauge } from "./read-metrics.js";

export function registerPurges(registry: Registry, purges: Metrics["purges"]): void {
  registerCounter(registry, {
    name: "user_groups_purged_rows_total",
    help: "Rows that were removed because they are no longer needed, by purge.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { rows }]) => [labels, { value: rows }]),
  });
  registerCounter(registry, {
    name: "user_groups_purge_failures_total",
    help: "Runs of a purge that failed; they are retried.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { failures }]) => [labels, { value: failures }]),
  });
  registerGauge(registry, {
    name: "user_groups_purge_last_success_timestamp_seconds",
    help: "When a run of a purge last removed all there was to remove; absent before the first one.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { succeededAt }]) => [labels, succeededAt]),
  });
  registerGauge(registry, {
    name: "user_groups_purge_backlog_seconds",
    help: "For how long the oldest row should have been removed, as the last batch found it; absent before the first one.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { backlogSeconds }]) => [labels, backlogSeconds]),
  });
}
