import { cpus, loadavg } from "node:os";
import type { BenchDatabase } from "./postgres.js";

/** Describes the machine and its load average before and after a run. */
export async function describeMachine({ query }: BenchDatabase, loadBefore: readonly number[]) {
  const [settings] = await query<{ version: string; buffers: string }>(
    "SELECT current_setting('server_version') AS version, current_setting('shared_buffers') AS buffers",
  );
  const load = [loadBefore, loadavg()].map(([figure = 0]) => figure.toFixed(1)).join(" to ");
  return `PostgreSQL ${settings?.version} with shared_buffers of ${settings?.buffers}, Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; load average ${load}.`;
}
