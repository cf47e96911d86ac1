import { loadavg } from "node:os";
import { resolve } from "node:path";
import { describeMachine } from "../conditions.js";
import { startPostgres } from "../postgres.js";
import { inWorkplace, type Workplace } from "../workplace.js";
import { CONTESTANT_NAMES, OURS, OURS_AGAIN, startPeer, startVariant } from "./contestants.js";
import { GRAPHQL_WORKLOADS } from "./graphql-workloads.js";
import { type Contestant, Meter } from "./measurement.js";
import { type CompareOptions, readCompareOptions } from "./options.js";
import { savePerformancePage } from "./performance-page.js";
import { resultTable, targetTable } from "./report.js";
import { getReply, REST_WORKLOADS } from "./rest-workloads.js";
import { Results } from "./results.js";
import { type Entry, measureInRounds, report } from "./rounds.js";
import { seed } from "./seed.js";
import { UPSERT_WORKLOADS } from "./upsert-workloads.js";
import { pickGroups, type Stage, type Workload } from "./workload.js";
import { inventWorld } from "./world.js";
import { requireWrk } from "./wrk.js";

const WORKLOADS: readonly Workload[] = [...REST_WORKLOADS, ...GRAPHQL_WORKLOADS, ...UPSERT_WORKLOADS];
/** For the contestants' pools. Everything else is PostgreSQL's default. */
const SETTINGS = { max_connections: "500" };

/** Compares our service with other stacks on the same tables. @returns the result tables */
export async function benchCompare(args: readonly string[]): Promise<string> {
  const options = readCompareOptions(args);
  const workloads = chooseWorkloads(options);
  if (!options.checkOnly) await requireWrk();
  return inWorkplace(async (place) => {
    const database = await (await startPostgres(place, SETTINGS)).create("compare");
    const stage = { database, world: inventWorld(options.groups) };
    await seed(database, stage.world);
    const contestants = await startContestants(workloads, options, stage, place);
    const entries = workloads.map((workload) => ({
      workload,
      contestants: namesOf(workload, options).flatMap((name) => contestants.get(name) ?? []),
    }));
    const before = loadavg();
    const results = await measureAll(entries, options, place);
    if (options.checkOnly) return "All contestants give the same replies.";
    const conditions = await describeRun(options, stage, before);
    if (options.save) await savePerformancePage(results, conditions);
    return [resultTable(results), targetTable(results), conditions].join("\n\n");
  });
}

/** Compares replies with the expected ones, and measures. @throws Error when a reply differs or a request fails */
export async function measureAll(
  entries: readonly Entry[],
  options: CompareOptions,
  { directory }: Workplace,
): Promise<Results> {
  await checkAnswers(entries);
  const results = new Results();
  if (options.checkOnly) return results;
  try {
    await measureInRounds(entries, new Meter(directory), options, results);
  } catch (error) {
    report(resultTable(results));
    throw error;
  }
  return results;
}

/** @param before the load average before the run */
export async function describeRun(
  { rounds, seconds }: CompareOptions,
  { world, database }: Stage,
  before: readonly number[],
): Promise<string> {
  const groups = world.accounts[0].groups.length.toLocaleString("en");
  const tables = `${groups} groups, and twice as many in ${world.accounts.length - 1} small accounts`;
  return `${rounds} rounds of ${seconds} s; ${tables};\n${await describeMachine(database, before)}`;
}

export function chooseWorkloads({ only, against }: CompareOptions): readonly Workload[] {
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

/** The contestants of a workload. */
function namesOf({ peers = [] }: Workload, { against, variants }: CompareOptions): readonly string[] {
  const chosen = peers.filter((name) => against?.includes(name) ?? true);
  return [OURS, OURS_AGAIN, ...variants.map(({ name }) => name), ...chosen];
}

async function startContestants(
  workloads: readonly Workload[],
  options: CompareOptions,
  stage: Stage,
  { directory, onClose }: Workplace,
): Promise<ReadonlyMap<string, Contestant>> {
  const contestants = new Map<string, Contestant>();
  const add = (contestant: Contestant) => {
    onClose(contestant.stop);
    contestants.set(contestant.name, contestant);
  };
  const nodeOptions =
    options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${resolve(options.profile)}`];
  const same = { settings: {}, nodeOptions };
  const ours = [{ name: OURS, ...same }, { name: OURS_AGAIN, ...same }, ...options.variants];
  for (const variant of ours) add(await startVariant(variant, directory, stage));
  const [place] = pickGroups([stage.world.accounts[0]], 1);
  const names = new Set(workloads.flatMap((workload) => namesOf(workload, options)));
  for (const name of names)
    if (!contestants.has(name)) add(await startPeer(name, directory, stage, place ? getReply(place) : {}));
  return contestants;
}

/** @throws Error when a reply differs from the expected one */
async function checkAnswers(entries: readonly Entry[]): Promise<void> {
  // Check writes last, since they change the expected replies.
  const inOrder = entries.toSorted(
    (one, other) => Number(one.workload.writes ?? false) - Number(other.workload.writes ?? false),
  );
  for (const { workload, contestants } of inOrder) {
    for (const contestant of contestants) {
      await workload.check(contestant, contestant.stage).catch((cause) => {
        throw new Error(`${contestant.name} returned a wrong reply for ${workload.name}.`, { cause });
      });
    }
  }
}
