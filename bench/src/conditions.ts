import { spawnSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import type { BenchDatabase } from "./postgres.js";

/** Describes the time, the commit, the machine and its load average before and after a run. */
export async function describeMachine({ query }: BenchDatabase, loadBefore: readonly number[]) {
  const [settings] = await query<{ version: string; buffers: string }>(
    "SELECT current_setting('server_version') AS version, current_setting('shared_buffers') AS buffers",
  );
  const load = [loadBefore, loadavg()].map(([figure = 0]) => figure.toFixed(1)).join(" to ");
  // Empty outside a Git checkout.
  const { stdout } = spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" });
  const commit = stdout ? `commit ${stdout.trim()}` : "unknown commit";
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${commit}; PostgreSQL ${settings?.version} with shared_buffers of ${settings?.buffers}, Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; load average ${load}.`;
}
