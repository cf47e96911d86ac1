import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { embeddedRuntimeUser } from "../../src/embedded-postgres/cluster.js";
import { Database } from "../../src/persistence/database/database.js";
import { migrateUp } from "../../src/persistence/database/migrator.js";
import { grantRuntimeRole } from "../../src/persistence/database/runtime-role.js";
import type { BenchDatabase } from "./compare/database.js";
import { peakMemoryMbOf } from "./compare/process-usage.js";
import { markdownTable } from "./markdown-table.js";
import { type ScalePostgres, startScalePostgres } from "./scale/scale-postgres.js";

const GROUPS = 1_000_000;
const CLI = fileURLToPath(new URL("../../../../dist/src/cli.js", import.meta.url));
const ACCOUNT = "bench";
const SOURCES = ["crm", "sales", "support"];
const HEADS = ["", "groups", "seconds", "groups/s", "COPY's time ÷ it", "peak memory MB"];

/** The tables that an import fills itself, in the order of their foreign keys; triggers write the audit log. */
const TABLES = ["user_group", "mapping_entry", "brought_token"];

interface Run {
  readonly name: string;
  readonly seconds: number;
  /** Null for what PostgreSQL does itself. */
  readonly peakMb: number | null;
}

/** Measures `import` and `export` of groups with tokens and mappings against COPY of the same rows into the same tables. */
export async function benchImport(args: readonly string[]): Promise<string> {
  const { values } = parseArgs({ args: [...args], options: { groups: { type: "string" } } });
  const groups = Number(values.groups ?? GROUPS);
  const directory = await mkdtemp(join(tmpdir(), "user-groups-import-"));
  // PostgreSQL runs as another user than ours, and reads and writes there, too.
  await chmod(directory, 0o777);
  const postgres = await startScalePostgres(directory, () => undefined);
  try {
    return await measure(postgres, directory, groups);
  } finally {
    await postgres.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(postgres: ScalePostgres, directory: string, groups: number): Promise<string> {
  const env = { ENCRYPTION_KEYS: randomBytes(32).toString("base64") };
  const [ours, theirs] = [await postgres.create("ours"), await postgres.create("copy")];
  try {
    await prepare(ours, env, join(directory, "sources.csv"));
    await prepare(theirs, env, join(directory, "sources.csv"));
    return await measureBoth(ours, theirs, env, directory, groups);
  } finally {
    await ours.close();
    await theirs.close();
  }
}

async function measureBoth(
  ours: BenchDatabase,
  theirs: BenchDatabase,
  env: Readonly<Record<string, string>>,
  directory: string,
  groups: number,
): Promise<string> {
  const [file, written] = [join(directory, "groups.jsonl"), join(directory, "written.jsonl")];
  await writeGroups(file, groups);
  const command = (name: string, path: string, ...more: string[]) =>
    runCommand({ ...env, DATABASE_URL: ours.runtimeUrl }, [name, "--groups", path, ...more]);
  const runs: Run[] = [];
  runs.push({ name: "import", ...(await command("import", file)) });
  const [row] = await ours.query<{ count: number }>("SELECT count(*)::integer AS count FROM user_group");
  if (row?.count !== groups) throw new Error(`The import has made ${row?.count} groups of ${groups}.`);
  const copied = await copy(ours, theirs, directory);
  runs.push({ name: "COPY", seconds: copied, peakMb: null });
  runs.push({ name: "import again, all unchanged", ...(await command("import", file)) });
  runs.push({ name: "export", ...(await command("export", written, "--with-tokens")) });
  return markdownTable(
    HEADS,
    runs.map(({ name, seconds, peakMb }) => [
      name,
      groups.toLocaleString("en"),
      seconds.toFixed(1),
      Math.round(groups / seconds).toLocaleString("en"),
      (copied / seconds).toFixed(2),
      peakMb === null ? "" : peakMb.toFixed(0),
    ]),
  );
}

/** Gives a database our tables, an account and its data sources. */
async function prepare(
  database: BenchDatabase,
  env: Readonly<Record<string, string>>,
  sources: string,
): Promise<void> {
  const options = { poolSize: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 0 };
  const owner = await Database.connect({ target: database.owner, ...options });
  await migrateUp(owner);
  await grantRuntimeRole(owner, embeddedRuntimeUser);
  await owner.close();
  const service = { ...env, DATABASE_URL: database.runtimeUrl };
  await runCommand(service, ["key", "create", "--scope", "admin"]);
  await writeFile(sources, `provided_id,name\n${SOURCES.map((id) => `${id},${id}\n`).join("")}`);
  await runCommand(service, ["import", "--data-sources", sources]);
}

/** Groups as another service may have them, in an order that is none of ours. */
async function writeGroups(path: string, groups: number): Promise<void> {
  function* lines() {
    for (let n = 0; n < groups; n += 1) {
      const group = {
        provided_id: `customer-${(n * 7_368_787) % groups}`,
        name: `Customer number ${n}`,
        token: randomBytes(24).toString("base64url"),
        properties: { region: n % 2 === 0 ? "EU" : "US", plan: "gold", seats: n % 500 },
        mapping: { main: SOURCES[n % 3], second: SOURCES[(n + 1) % 3] },
      };
      yield `${JSON.stringify(group)}\n`;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path));
}

/** Copies what an import has made into the tables of another database. @returns the seconds that COPY FROM took */
async function copy(from: BenchDatabase, to: BenchDatabase, directory: string): Promise<number> {
  let seconds = 0;
  for (const table of TABLES) {
    const path = join(directory, table);
    await from.query(`COPY ${table} TO '${path}'`);
    const start = performance.now();
    await to.query(`COPY ${table} FROM '${path}'`);
    seconds += (performance.now() - start) / 1000;
    // Not counted: without it the foreign keys of the next table are checked by an index that takes a thousand times as long.
    await to.query(`ANALYZE ${table}`);
  }
  return seconds;
}

async function runCommand(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<{ readonly seconds: number; readonly peakMb: number }> {
  const start = performance.now();
  const choice = ["--account", ACCOUNT, "--environment", "Customer"];
  const child = spawn(process.execPath, [CLI, ...args, ...choice], {
    env: { ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  let peakMb = 0;
  const timer = setInterval(async () => {
    const seen = child.pid === undefined ? 0 : await peakMemoryMbOf(child.pid).catch(() => 0);
    // A process that is about to end has none.
    if (seen > peakMb) peakMb = seen;
  }, 100);
  await once(child, "close");
  clearInterval(timer);
  if (child.exitCode !== 0) throw new Error(`${args.join(" ")} ended with ${child.exitCode}.`);
  return { seconds: (performance.now() - start) / 1000, peakMb };
}
