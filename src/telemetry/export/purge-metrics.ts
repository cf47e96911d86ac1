import type { Registry } from "prom-client";
import type { Metrics } from "../metrics.js";
import { tellCounts, tellState } from "./read-metrics.js";

/** Has a registry expose what the purges of this process have done. */
export function registerPurges(registry: Registry, purges: Metrics["purges"]): void {
  tellCounts(registry, {
    name: "user_groups_purged_rows_total",
    help: "Rows that were removed because they are no longer needed, by purge.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { rows }]) => [labels, { value: rows }]),
  });
  tellCounts(registry, {
    name: "user_groups_purge_failures_total",
    help: "Runs of a purge that failed; they are retried.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { failures }]) => [labels, { value: failures }]),
  });
  tellState(registry, {
    name: "user_groups_purge_last_success_timestamp_seconds",
    help: "When a run of a purge last removed all there was to remove; absent before the first one.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { succeededAt }]) => [labels, succeededAt]),
  });
  tellState(registry, {
    name: "user_groups_purge_backlog_seconds",
    help: "For how long the oldest row should have been removed, as the last batch found it; absent before the first one.",
    labels: ["purge"],
    read: () => [...purges].map(([labels, { backlogSeconds }]) => [labels, backlogSeconds]),
  });
}
