import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Statement } from "../../src/persistence/shared/statement.js";
import { type BenchPostgres, startBenchPostgres, withDatabase } from "./bench-postgres.js";
import type { LoadOptions, LoadResult } from "./soak-load.js";
import { reportSoak, type SoakRun, type TimedSample } from "./soak-report.js";
import { type SoakService, startSoakService } from "./soak-service.js";

const DEFAULT_SECONDS = 300;
const CALLERS = 64;
/** So many that what is remembered of them grows until the first are forgotten. */
const ADDRESSES = 65_536;
const SAMPLE_MS = 1000;
/** How long the first part takes that does not count. */
const WARM_UP = 0.2;
/** What connections that nobody uses are kept for, and what webhooks may still be waiting. */
const SETTLING_MS = 15_000;

/** Keeps a service busy with all that it does, as fast as it answers, and looks at what that leaves in its process. */
export async function benchSoak([given]: readonly string[]): Promise<string> {
  const seconds = given === undefined ? DEFAULT_SECONDS : Number(given);
  if (!(seconds >= 10)) throw new Error("npm run bench -- soak SECONDS, which are 10 at least");
  const postgres = await startBenchPostgres();
  try {
    const service = await startSoakService(postgres.runtime);
    try {
      return reportSoak(await soak(postgres, service, seconds));
    } finally {
      await service.stop();
    }
  } finally {
    await postgres.close();
  }
}

async function soak(postgres: BenchPostgres, service: SoakService, seconds: number): Promise<SoakRun> {
  const { inspector, url, key, warnings } = service;
  return withDatabase(postgres.owner, async (database) => {
    const startedAt = performance.now();
    const look = async (): Promise<TimedSample> => {
      const [row] = await database.run<{ count: number }>(CONNECTIONS, []);
      const second = (performance.now() - startedAt) / 1000;
      return { ...(await inspector.sample()), second, connections: row?.count ?? 0 };
    };
    const lookAtRest = async () => {
      // What the first time has finalised goes the second time.
      await inspector.collectGarbage();
      await inspector.collectGarbage();
      return look();
    };
    const before = await lookAtRest();
    const load = startClients({ url, key, callers: CALLERS, addresses: ADDRESSES, until: { seconds } });
    const samples: TimedSample[] = [];
    let isOver = false;
    void load.then(() => {
      isOver = true;
    });
    let isWarm = false;
    while (!isOver) {
      await sleep(SAMPLE_MS);
      samples.push(await look());
      if (isWarm || performance.now() - startedAt < WARM_UP * seconds * 1000) continue;
      isWarm = true;
      await inspector.readDelay();
    }
    const delay = await inspector.readDelay();
    await sleep(SETTLING_MS);
    const after = await lookAtRest();
    const warm = samples.filter(({ second }) => second >= WARM_UP * seconds);
    const warmUp = samples.filter((sample) => !warm.includes(sample));
    const cores = availableParallelism();
    return { before, warmUp, warm, after, delay, warnings, seconds, cores, load: await load };
  });
}

const CONNECTIONS: Statement = {
  access: "read",
  text: "SELECT count(*)::integer FROM pg_stat_activity WHERE application_name LIKE 'user-groups%' AND usename <> current_user",
};

/** Runs the clients in a process of their own. */
async function startClients(options: LoadOptions): Promise<LoadResult> {
  const child = fork(new URL("./soak-clients.js", import.meta.url));
  child.send(options);
  const failed = once(child, "exit").then(() => {
    throw new Error("The clients have ended without a result.");
  });
  const result: LoadResult = (await Promise.race([once(child, "message"), failed]))[0];
  failed.catch(() => undefined);
  return result;
}
