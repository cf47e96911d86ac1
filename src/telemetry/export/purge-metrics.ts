import type { Registry } from "prom-client";
import type { Metrics } from "../metrics.js";
import { registerCounter, registerGauge } from "./read-metrics.js";

export function registerPurges(registry: Registry, purges: Metrics["purges"]): void {
  registerCounter(registry, {
    name: "user_groups_purged_rows_total",
    help: "Rows removed or expired because of their age, by purge.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { rows }]) => [labels, { value: rows }]),
  });
  registerCounter(registry, {
    name: "user_groups_purge_failures_total",
    help: "Failed runs of a purge, which are retried.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { failures }]) => [labels, { value: failures }]),
  });
  registerGauge(registry, {
    name: "user_groups_purge_last_success_timestamp_seconds",
    help: "Time of the last complete run of a purge; absent before the first.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { succeededAt }]) => [labels, succeededAt]),
  });
  registerGauge(registry, {
    name: "user_groups_purge_backlog_seconds",
    help: "How long the oldest row of a purge is overdue, as of the last batch; absent before the first.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { backlogSeconds }]) => [labels, backlogSeconds]),
  });
}
