import { loadavg } from "node:os";
import { planDistribution, runDistributionStep } from "../../../src/persistence/database/distribution.js";
import { type CitusNode, citusPrograms, startCitus } from "../../../test/support/citus/cluster.js";
import { queryOnce } from "../../../test/support/postgres/system-postgres.js";
import { type BenchDatabase, connect, openDatabase, POSTMASTER } from "../postgres.js";
import { inWorkplace, type Workplace } from "../workplace.js";
import { chooseWorkloads, describeRun, measureAll } from "./compare.js";
import { startVariant } from "./contestants.js";
import { readCompareOptions } from "./options.js";
import { resultTable } from "./report.js";
import { seed } from "./seed.js";
import { inventWorld } from "./world.js";
import { requireWrk } from "./wrk.js";

const NAME = "bench";
const RUNTIME = "bench_runtime";
const SHARDS = 32;
const WORKLOADS = [
  ...["rest-get", "rest-get-tenants", "rest-create", "rest-put", "rest-rotate"],
  ...["graphql-one", "graphql-list-50"],
];

/** Compares our service on a Citus cluster with our service on one PostgreSQL of the same programs. @returns the result table */
export async function benchCitus(args: readonly string[]): Promise<string> {
  const options = readCompareOptions(args);
  const workloads = chooseWorkloads({ ...options, only: options.only ?? WORKLOADS });
  if (citusPrograms === undefined)
    throw new Error("Set CITUS_PROGRAMS to the directory of the programs of a PostgreSQL with Citus.");
  const programs = citusPrograms;
  await requireWrk();
  return inWorkplace(async (place) => {
    // PostgreSQL's default, instead of the tests'.
    const cluster = await startCitus(programs, ["shared_buffers=128MB"]);
    place.onClose(() => cluster.close());
    for (const statement of STATEMENTS) await cluster.onAll("postgres", statement);
    await cluster.connectWorkers(NAME);
    const single = await cluster.addNode();
    for (const statement of STATEMENTS) await queryOnce(single.url("postgres"), statement);
    const world = inventWorld(options.groups);
    const start = async (name: string, node: CitusNode, workers: readonly CitusNode[] = []) => {
      const database = await open(node, place);
      await seed(database, world);
      if (workers.length > 0) await distribute(database);
      const others = workers.map(async ({ url }) => Number((await queryOnce(url(NAME), POSTMASTER))[0].pid));
      const pids = [...database.pids, ...(await Promise.all(others))];
      const stage = { world, database: { ...database, pids } };
      const contestant = await startVariant({ name, settings: {} }, place.directory, stage);
      place.onClose(contestant.stop);
      return contestant;
    };
    const citus = await start("citus", cluster.coordinator, cluster.workers);
    const contestants = [citus, await start("postgres", single)];
    const before = loadavg();
    const entries = workloads.map((workload) => ({ workload, contestants }));
    const results = await measureAll(entries, options, place);
    return `${resultTable(results, citus.name)}\n\n${await describeRun(options, citus.stage, before)}`;
  });
}

const STATEMENTS = [`CREATE ROLE ${RUNTIME} LOGIN`, `CREATE DATABASE ${NAME}`];

function open({ port }: CitusNode, place: Workplace): Promise<BenchDatabase> {
  const owner = { host: "127.0.0.1", port, user: "postgres", password: "", database: NAME };
  return openDatabase(owner, { ...owner, user: RUNTIME }, place);
}

async function distribute({ owner, query }: BenchDatabase): Promise<void> {
  const database = await connect(owner, 2);
  for (const step of await planDistribution(database, SHARDS)) await runDistributionStep(database, step);
  await database.close();
  await query("VACUUM ANALYZE api_key, data_source, user_group, mapping_entry");
}
