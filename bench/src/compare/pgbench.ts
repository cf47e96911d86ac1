import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { escapeLiteral } from "pg";
import type { Stage } from "./workload.js";
import { ENVIRONMENT, providedIdOf } from "./world.js";
import type { LoadResult } from "./wrk.js";

/** pgbench opens about this many connections per second, which counts as run time. */
const CONNECTED_PER_SECOND = 64;
const INSTALLATIONS = "/usr/lib/postgresql";

/** Finds pgbench, which embedded PostgreSQL does not include. */
export async function findPgbench(): Promise<string | undefined> {
  const versions = await readdir(INSTALLATIONS).catch(() => []);
  for (const version of versions.toSorted((one, other) => Number(other) - Number(one))) {
    const path = join(INSTALLATIONS, version, "bin", "pgbench");
    const found = promisify(execFile)(path, ["--version"]);
    if (await found.then(Boolean, () => false)) return path;
  }
  return undefined;
}

/** Reads groups of the largest account by external ID with a prepared statement: the database's upper limit. */
export async function runPgbench(
  pgbench: string,
  { database, world: { accounts } }: Stage,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
  directory: string,
): Promise<LoadResult> {
  const [account] = accounts;
  const { owner, ownerUrl } = database;
  // Otherwise pgbench would spend its time on password hashing.
  await database.query(
    `SET scram_iterations = 1; ALTER ROLE CURRENT_USER PASSWORD ${escapeLiteral(owner.password)}`,
  );
  const place = await mkdtemp(join(directory, "pgbench-"));
  const script = join(place, "lookup.sql");
  const [prefix = ""] = providedIdOf(0).split("0");
  await writeFile(
    script,
    `\\set n random(0, ${account.groups.length - 1})
SELECT id, provided_id, name, properties, token_key_id, token_ciphertext FROM user_group
WHERE account_id = ${account.accountId} AND environment = '${ENVIRONMENT}'
  AND provided_id = '${prefix}' || lpad(:n::text, 8, '0');
`,
  );
  const time = seconds + Math.floor(connections / CONNECTED_PER_SECOND);
  const options = ["-n", "-M", "prepared", "-f", script, "-c", String(connections), "-T", String(time)];
  const { stdout } = await promisify(execFile)(pgbench, [...options, "--log", ownerUrl], { cwd: place });
  const [, perSecond = "NaN"] = /^tps = ([\d.]+)/m.exec(stdout) ?? [];
  const [log = ""] = (await readdir(place)).filter((name) => name.startsWith("pgbench_log"));
  // The third column is a transaction's duration in microseconds.
  const lines = (await readFile(join(place, log), "utf8")).split("\n");
  const times = Float64Array.from(
    lines.flatMap((line) => line.split(" ")[2] ?? []),
    Number,
  ).sort();
  await rm(place, { recursive: true });
  const percentile = (share: number) => (times[Math.floor(share * times.length)] ?? Number.NaN) / 1000;
  return {
    ...{ requests: times.length, perSecond: Number(perSecond), meanBytes: Number.NaN },
    ...{ p50: percentile(0.5), p99: percentile(0.99) },
  };
}
