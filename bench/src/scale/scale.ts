import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Contestant, startOurs } from "../compare/contestants.js";
import { Meter } from "../compare/measurement.js";
import type { Stage, Workload } from "../compare/workload.js";
import { inWorkplace, type Workplace } from "../compare/workplace.js";
import { collectPlans, type PlansOfSize, planTable, readIndexes, requireIndexes } from "./plan-check.js";
import { PlanLog } from "./plan-log.js";
import { measureSizes, type RelationSizes, sizeTable } from "./relation-sizes.js";
import { load } from "./scale-load.js";
import { readScaleOptions, type ScaleOptions } from "./scale-options.js";
import { type ScalePostgres, startScalePostgres } from "./scale-postgres.js";
import { ScaleResults } from "./scale-results.js";
import { THOUSANDS, timeUpserts } from "./scale-upserts.js";
import { PAGES, POINT_READS } from "./scale-workloads.js";
import { type Founding, inventFounding } from "./scale-world.js";

/** How many send at once, of point reads. */
const CONNECTIONS = [1, 32];
const QUIET_MS = 3000;

/** A size: a database, and a process of the service on it. */
interface Size {
  readonly groups: number;
  readonly name: string;
  readonly stage: Stage;
  readonly relations: RelationSizes;
  readonly contestant: Contestant;
  readonly meter: Meter;
}

/** Shows what becomes of reads, pages and upserts when there are many groups. @returns tables of what was measured */
export async function benchScale(args: readonly string[]): Promise<string> {
  const options = readScaleOptions(args);
  return inWorkplace(async (place) => {
    const log = new PlanLog();
    const postgres = await startScalePostgres(place.directory, (line) => log.take(line));
    place.onClose(() => postgres.close());
    const founding = inventFounding();
    const sizes: Size[] = [];
    for (const groups of options.groups) sizes.push(await prepare(groups, founding, postgres, place));
    for (const { contestant, stage } of sizes) {
      for (const workload of [...POINT_READS, ...PAGES]) await workload.check(contestant, stage);
    }
    const before = loadavg();
    const results = new ScaleResults();
    await measureReads(sizes, options, results);
    await measureUpserts(sizes, options, results);
    const after = loadavg();
    const plans = await planAll(sizes, log, place);
    const text = await report(sizes, results, plans, options, [before, after]);
    try {
      requireIndexes(plans);
    } catch (error) {
      tell(text);
      throw error;
    }
    return text;
  });
}

async function prepare(
  groups: number,
  founding: Founding,
  postgres: ScalePostgres,
  { directory, onClose }: Workplace,
): Promise<Size> {
  const start = performance.now();
  const name = `groups_${groups}`;
  const database = await postgres.create(name);
  onClose(() => database.close());
  // It makes the tables.
  const maker = await startOurs({ name: `${name}_maker`, settings: {} }, directory, database, founding);
  await maker.stop();
  const world = await load(postgres, database, founding, groups);
  const contestant = await startOurs({ name, settings: {} }, directory, database, world);
  onClose(() => contestant.stop());
  const stage = { database, world };
  tell(
    `${groups.toLocaleString("en")} groups loaded in ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
  const meter = new Meter(stage, directory, undefined);
  return { groups, name, stage, relations: await measureSizes(database), contestant, meter };
}

async function measureReads(
  sizes: readonly Size[],
  options: ScaleOptions,
  results: ScaleResults,
): Promise<void> {
  const measure = async (
    { meter, contestant }: Size,
    workload: Workload,
    connections: number,
    seconds: number,
  ) => meter.measure(contestant, { workload, connections, seconds, pauseMs: 0 });
  for (const workload of [...POINT_READS, ...PAGES]) {
    tell(`${workload.title}: warming up`);
    const isPage = PAGES.includes(workload);
    for (const size of sizes) {
      await measure(size, workload, isPage ? 1 : 32, isPage ? 1 : options.warmUpSeconds);
    }
  }
  for (let round = 0; round < options.rounds; round += 1) {
    tell(`reads, round ${round + 1} of ${options.rounds}`);
    for (const workload of [...POINT_READS, ...PAGES]) {
      for (const connections of workload.connections ?? CONNECTIONS) {
        for (const size of inTurn(sizes, round)) {
          const sample = await measure(size, workload, connections, options.seconds);
          results.addRead(workload.name, connections, size.groups, sample);
        }
      }
    }
  }
}

async function measureUpserts(
  sizes: readonly Size[],
  { rounds }: ScaleOptions,
  results: ScaleResults,
): Promise<void> {
  for (const { contestant, stage } of sizes) await timeUpserts(contestant, stage.world, 5);
  for (let round = 0; round < rounds; round += 1) {
    tell(`upserts, round ${round + 1} of ${rounds}`);
    for (const thousands of THOUSANDS) {
      for (const { groups, contestant, stage } of inTurn(sizes, round)) {
        // As autovacuum does within a minute: the smallest table has become many times as large.
        await stage.database.query("ANALYZE user_group, mapping_entry");
        results.addUpsert(thousands, groups, await timeUpserts(contestant, stage.world, thousands));
      }
    }
  }
}

async function planAll(
  sizes: readonly Size[],
  log: PlanLog,
  { directory }: Workplace,
): Promise<readonly PlansOfSize[]> {
  for (const { groups, name, stage } of sizes) {
    tell(`plans at ${groups.toLocaleString("en")} groups`);
    await stage.database.query("ANALYZE");
    const variant = { name: `${name}_plans`, settings: {} };
    await collectPlans(stage, name, async () => startOurs(variant, directory, stage.database, stage.world));
  }
  // What PostgreSQL writes last is still on its way.
  await sleep(QUIET_MS);
  return Promise.all(
    sizes.map(async ({ groups, name, stage: { database } }) => ({
      groups,
      indexes: await readIndexes(database),
      plans: log.plans(name),
    })),
  );
}

/** Each second round goes backwards, so that nobody always follows the same neighbour. */
function inTurn(sizes: readonly Size[], round: number): readonly Size[] {
  return round % 2 === 0 ? sizes : sizes.toReversed();
}

async function report(
  sizes: readonly Size[],
  results: ScaleResults,
  plans: readonly PlansOfSize[],
  { rounds, seconds }: ScaleOptions,
  loads: readonly (readonly number[])[],
): Promise<string> {
  const reads = POINT_READS.map(({ name }) => name);
  const pages = PAGES.map(({ name }) => name);
  const [settings] =
    (await sizes[0]?.stage.database.query<{ version: string; buffers: string }>(
      "SELECT current_setting('server_version') AS version, current_setting('shared_buffers') AS buffers",
    )) ?? [];
  const load = loads.map(([figure = 0]) => figure.toFixed(1)).join(" to ");
  const [cpu] = cpus();
  return [
    results.pointReadTable(reads),
    results.pageTable(pages),
    results.upsertTable(),
    sizeTable(sizes),
    planTable(plans),
    results.targetTable(reads, pages),
    `${rounds} rounds of ${seconds} s; PostgreSQL ${settings?.version} with shared_buffers of ${settings?.buffers}, Node.js ${process.version}, ${cpus().length} × ${cpu?.model}; load average ${load}.`,
  ].join("\n\n");
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
