import { strictEqual } from "node:assert/strict";
import { loadavg } from "node:os";
import { startVariant } from "../compare/contestants.js";
import { dataOf } from "../compare/graphql-workloads.js";
import { type Contestant, Meter } from "../compare/measurement.js";
import { Results } from "../compare/results.js";
import { inTurn, report } from "../compare/rounds.js";
import { BULK, newIds, upsertRequest } from "../compare/upsert-workloads.js";
import type { Workload } from "../compare/workload.js";
import { describeMachine } from "../conditions.js";
import { readNumbers, readOptions } from "../options.js";
import { type BenchPostgres, startPostgres } from "../postgres.js";
import { inWorkplace, type Workplace } from "../workplace.js";
import { blocksTables } from "./blocks-read.js";
import { measureSizes, type RelationSizes, sizeTable } from "./relation-sizes.js";
import { load } from "./scale-load.js";
import { scaleTables } from "./scale-report.js";
import { PAGES, POINT_READS } from "./scale-workloads.js";
import { planWorld, type WorldPlan } from "./scale-world.js";

/** Connections for point reads. */
const CONNECTIONS = [1, 32];
/** Thousands of groups upserted in a row. */
const THOUSANDS = [1, 10];
const READS = [...POINT_READS, ...PAGES];
const MIN_GROUPS = 1000;
const READING = {
  names: ["groups", "rounds", "seconds", "warm-up"],
  flags: [],
  usage: `npm run bench -- scale [options]
  --groups N,…   the sizes that are compared; 1000,100000,10000000 by default, and no fewer than 1000
  --rounds N     --seconds N   --warm-up SECONDS`,
};

/** A database of one size with a service process. */
interface Size {
  readonly groups: number;
  readonly relations: RelationSizes;
  readonly server: Contestant;
}

/** Measures reads, pages and upserts with different numbers of groups. @returns the result tables */
export async function benchScale(args: readonly string[]): Promise<string> {
  const options = readScaleOptions(args);
  return inWorkplace(async (place) => {
    const postgres = await startPostgres(place, {});
    const plan = planWorld();
    const sizes: Size[] = [];
    for (const groups of options.groups) sizes.push(await prepare(groups, plan, postgres, place));
    for (const { server } of sizes) {
      for (const workload of READS) await workload.check(server, server.stage);
    }
    const before = loadavg();
    const results = new Results();
    await measureReads(sizes, new Meter(place.directory), options, results);
    await measureUpserts(sizes, options, results);
    const kinds = {
      points: POINT_READS.map(({ name }) => name),
      pages: PAGES.map(({ name }) => name),
      upserts: THOUSANDS.map(upsertName),
    };
    const [first] = sizes;
    const machine = first ? await describeMachine(first.server.stage.database, before) : "";
    const conditions = `${options.rounds} rounds of ${options.seconds} s; ${machine}`;
    const sizesTable = sizeTable(sizes);
    const largest = sizes.at(-1);
    const blocks = largest ? await blocksTables(largest.server.stage) : [];
    return [...scaleTables(results, kinds), sizesTable, ...blocks, conditions].join("\n\n");
  });
}

type ScaleOptions = ReturnType<typeof readScaleOptions>;

function readScaleOptions(args: readonly string[]) {
  return readOptions(args, READING, (options) => {
    const number = (name: string, value: number) => readNumbers(options, name, []).at(-1) ?? value;
    const groups = readNumbers(options, "groups", [1000, 100_000, 10_000_000]);
    if (groups.some((count) => count < MIN_GROUPS))
      throw new Error(`Fewer than ${MIN_GROUPS} groups are too few for the pages of the largest account`);
    return {
      groups: groups.toSorted((one, other) => one - other),
      rounds: number("rounds", 4),
      seconds: number("seconds", 2),
      warmUpSeconds: number("warm-up", 10),
    };
  });
}

async function prepare(
  groups: number,
  plan: WorldPlan,
  postgres: BenchPostgres,
  { directory, onClose }: Workplace,
): Promise<Size> {
  const start = performance.now();
  const name = `groups_${groups}`;
  const database = await postgres.create(name);
  const stage = { database, world: await load(database, plan, groups) };
  const server = await startVariant({ name, settings: {} }, directory, stage);
  onClose(server.stop);
  report(
    `${groups.toLocaleString("en")} groups loaded in ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
  return { groups, relations: await measureSizes(database), server };
}

async function measureReads(
  sizes: readonly Size[],
  meter: Meter,
  options: ScaleOptions,
  results: Results,
): Promise<void> {
  const measure = ({ server }: Size, workload: Workload, connections: number, seconds: number) =>
    meter.measure(server, { workload, connections, seconds });
  for (const workload of READS) {
    report(`${workload.name}: warming up`);
    const [connections, seconds] = PAGES.includes(workload) ? [1, 1] : [32, options.warmUpSeconds];
    for (const size of sizes) await measure(size, workload, connections, seconds);
  }
  for (let round = 0; round < options.rounds; round += 1) {
    report(`reads, round ${round + 1} of ${options.rounds}`);
    for (const workload of READS) {
      for (const connections of workload.connections ?? CONNECTIONS) {
        for (const size of inTurn(sizes, round)) {
          const series = {
            workload: workload.name,
            contestant: String(size.groups),
            connections,
            half: false,
          };
          results.add(series, await measure(size, workload, connections, options.seconds));
        }
      }
    }
  }
}

async function measureUpserts(
  sizes: readonly Size[],
  { rounds }: ScaleOptions,
  results: Results,
): Promise<void> {
  for (const size of sizes) await timeUpserts(size, 5);
  for (let round = 0; round < rounds; round += 1) {
    report(`upserts, round ${round + 1} of ${rounds}`);
    for (const thousands of THOUSANDS) {
      for (const size of inTurn(sizes, round)) {
        // As autovacuum does within a minute; the smallest table has grown many times.
        await size.server.stage.database.query("ANALYZE user_group, mapping_entry");
        const p50 = await timeUpserts(size, thousands);
        const unknown = { perSecond: NaN, p99: NaN, serverUs: NaN, databaseUs: NaN, memoryMb: NaN };
        const series = { workload: upsertName(thousands), contestant: String(size.groups) };
        results.add({ ...series, connections: 1, half: false }, { ...unknown, p50 });
      }
    }
  }
}

/** Upserts new groups of the largest account in calls of a thousand. @returns milliseconds per thousand */
async function timeUpserts({ server }: Size, thousands: number): Promise<number> {
  const [account] = server.stage.world.accounts;
  const requests = Array.from({ length: thousands }, () => upsertRequest(account, newIds(BULK)));
  const start = performance.now();
  for (const request of requests) {
    const { upsertUserGroups } = await dataOf(server, request);
    strictEqual(upsertUserGroups.results.length, BULK);
    strictEqual(upsertUserGroups.userErrors.length, 0);
  }
  return (performance.now() - start) / thousands;
}

function upsertName(thousands: number): string {
  return (thousands * BULK).toLocaleString("en");
}
