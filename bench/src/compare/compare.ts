import { execFile } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { promisify } from "node:util";
import { CONTESTANT_NAMES, type Contestant, OURS, PGBENCH, startOurs, startPeer } from "./contestants.js";
import { seed, startDatabase } from "./database.js";
import { GRAPHQL_WORKLOADS } from "./graphql-workloads.js";
import { Meter } from "./measurement.js";
import { type CompareOptions, readOptions } from "./options.js";
import { findPgbench } from "./pgbench.js";
import { getReply, REST_WORKLOADS } from "./rest-workloads.js";
import { Results } from "./results.js";
import { type Entry, measureInRounds } from "./rounds.js";
import { targetTable } from "./targets.js";
import { UPSERT_WORKLOADS } from "./upsert-workloads.js";
import { pickGroups, type Stage, type Workload } from "./workload.js";
import { inWorkplace } from "./workplace.js";
import { inventWorld } from "./world.js";

const WORKLOADS: readonly Workload[] = [...REST_WORKLOADS, ...GRAPHQL_WORKLOADS, ...UPSERT_WORKLOADS];

/** Compares our service with others that do the same on the same tables. @returns tables of what was measured */
export async function benchCompare(args: readonly string[]): Promise<string> {
  const options = readOptions(args);
  const workloads = chooseWorkloads(options);
  const pgbench = await findPgbench();
  if (pgbench === undefined) tell("pgbench is not installed (package postgresql-contrib): it is left out");
  if (!options.checkOnly) await requireWrk();
  return inWorkplace(async ({ directory, onClose }) => {
    const database = await startDatabase(directory);
    onClose(() => database.close());
    const stage = { database, world: inventWorld(options.groups) };
    const contestants = new Map<string, Contestant>();
    onClose(() => stopAll(contestants));
    await startContestants(contestants, namesOf(workloads, options), options, stage, directory);
    const entries = workloads.map((workload) => entryOf(workload, options, contestants, pgbench));
    await checkAnswers(entries, stage);
    if (options.checkOnly) return "All contestants give the same answers.";
    return measureAll(entries, new Meter(stage, directory, pgbench), options, stage);
  });
}

async function measureAll(
  entries: readonly Entry[],
  meter: Meter,
  options: CompareOptions,
  stage: Stage,
): Promise<string> {
  const before = loadavg();
  const results = new Results();
  try {
    await measureInRounds(entries, meter, options, tell, results);
  } catch (error) {
    tell(results.table());
    throw error;
  }
  return [results.table(), targetTable(results), await conditions(stage, options, before)].join("\n\n");
}

function chooseWorkloads({ only, against }: CompareOptions): readonly Workload[] {
  const names = WORKLOADS.map(({ name }) => name);
  const unknown = [
    ...(only ?? []).filter((name) => !names.includes(name)),
    ...(against ?? []).filter((name) => !CONTESTANT_NAMES.includes(name) && name !== "none"),
  ];
  if (unknown.length === 0) return WORKLOADS.filter(({ name }) => only?.includes(name) ?? true);
  throw new Error(
    `Unknown: ${unknown.join(", ")}. Workloads: ${names.join(", ")}. Contestants: ${CONTESTANT_NAMES.join(", ")}, or none.`,
  );
}

function peersOf({ peers }: Workload, { against }: CompareOptions): readonly string[] {
  return peers.filter((name) => against?.includes(name) ?? true);
}

function entryOf(
  workload: Workload,
  options: CompareOptions,
  started: ReadonlyMap<string, Contestant>,
  pgbench: string | undefined,
): Entry {
  const names = [OURS, ...options.variants.map(({ name }) => name), ...peersOf(workload, options)];
  const contestants = names.map((name) =>
    name === PGBENCH && pgbench !== undefined ? PGBENCH : started.get(name),
  );
  return { workload, contestants: contestants.filter((contestant) => contestant !== undefined) };
}

/** The peers that are needed. */
function namesOf(workloads: readonly Workload[], options: CompareOptions): readonly string[] {
  const names = new Set(workloads.flatMap((workload) => peersOf(workload, options)));
  return [...names].filter((name) => name !== PGBENCH);
}

async function startContestants(
  started: Map<string, Contestant>,
  names: readonly string[],
  { variants }: CompareOptions,
  { database, world }: Stage,
  directory: string,
): Promise<void> {
  // Ours makes the tables.
  started.set(OURS, await startOurs({ name: OURS, settings: {} }, directory, database, world));
  await seed(database, world);
  for (const variant of variants) {
    started.set(variant.name, await startOurs(variant, directory, database, world));
  }
  const [place] = pickGroups([world.accounts[0]], 1);
  const constant = place ? getReply(place) : {};
  for (const name of names) started.set(name, await startPeer(name, directory, database, world, constant));
}

async function stopAll(contestants: ReadonlyMap<string, Contestant>): Promise<void> {
  await Promise.all([...contestants.values()].map((contestant) => contestant.stop()));
}

/** @throws Error when anybody answers otherwise than is known to be right */
async function checkAnswers(entries: readonly Entry[], stage: Stage): Promise<void> {
  // What is known to be right to read is so only until somebody writes.
  const inOrder = entries.toSorted(
    (one, other) => Number(one.workload.writes) - Number(other.workload.writes),
  );
  for (const { workload, contestants } of inOrder) {
    for (const contestant of contestants) {
      if (contestant === PGBENCH) continue;
      try {
        await workload.check(contestant, stage);
      } catch (error) {
        throw new Error(`${contestant.name} answers ${workload.name} wrongly.`, { cause: error });
      }
    }
  }
}

async function requireWrk(): Promise<void> {
  // It shows its version and fails.
  const found = await promisify(execFile)("wrk", ["--version"]).catch((error: { code?: unknown }) => error);
  if ("code" in found && found.code === "ENOENT")
    throw new Error("wrk is not installed: apt-get install wrk");
}

async function conditions({ database, world }: Stage, options: CompareOptions, before: readonly number[]) {
  const [version] = await database.query<{ version: string }>(
    "SELECT current_setting('server_version') AS version",
  );
  const { rounds, seconds } = options;
  const load = [...before.slice(0, 1), ...loadavg().slice(0, 1)].map((figure) => figure.toFixed(1));
  return [
    `${rounds} rounds of ${seconds} s; ${world.accounts[0].groups.length.toLocaleString("en")} groups, and as many in small accounts;`,
    `PostgreSQL ${version?.version}, Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; load average ${load.join(" to ")}.`,
  ].join("\n");
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
