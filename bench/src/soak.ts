import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Inspector } from "./inspector.js";
import { type BenchDatabase, startPostgres, WITHOUT_DISK } from "./postgres.js";
import { runCommand, type ServerProcess, startService } from "./server-process.js";
import type { LoadOptions, LoadResult } from "./soak-load.js";
import { reportSoak, type TimedSample } from "./soak-report.js";
import { inWorkplace } from "./workplace.js";

const DEFAULT_SECONDS = 300;
const CALLERS = 64;
/** So many that what is remembered of them grows until the first are dropped. */
const ADDRESSES = 65_536;
const SAMPLE_MS = 1000;
/** How long the first part takes that does not count. */
const WARM_UP = 0.2;
/** What connections that nobody uses are kept for, and what webhooks may still be waiting. */
const SETTLING_MS = 15_000;
/** As pino numbers them. */
const WARNING = 40;

/** Keeps a service busy with all that it does, as fast as it answers, and looks at what that leaves in its process. */
export async function benchSoak([text]: readonly string[]): Promise<string> {
  const seconds = text === undefined ? DEFAULT_SECONDS : Number(text);
  if (!(seconds >= 10)) throw new Error("Usage: npm run bench -- soak <seconds>, with at least 10 seconds");
  return inWorkplace(async (place) => {
    const database = await (await startPostgres(place, WITHOUT_DISK)).create("soak");
    const settings = {
      DATABASE_URL: database.runtimeUrl,
      ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
      WEBHOOK_ALLOW_PRIVATE: "true",
      // The clients say where a failed authentication is to come from.
      TRUSTED_PROXIES: "127.0.0.0/8",
    };
    const inspected = ["--inspect=127.0.0.1:0"];
    const service = await startService("soak", place.directory, database, settings, inspected);
    place.onClose(service.stop);
    const newKey = ["key", "create", "--account", "soak", "--environment", "Customer", "--scope", "admin"];
    const { output: key } = await runCommand(settings, newKey);
    const inspector = await Inspector.open(await readFile(service.log, "utf8"));
    const run = await soak(database, service, inspector, key, seconds);
    inspector.close();
    const exitCode = await service.stop();
    if (exitCode !== 0) throw new Error(`The service exited with code ${exitCode}; see ${service.log}`);
    const warnings = await countWarnings(service.log);
    return reportSoak({ ...run, warnings, seconds, cores: availableParallelism() });
  });
}

async function soak(
  database: BenchDatabase,
  { url }: ServerProcess,
  inspector: Inspector,
  key: string,
  seconds: number,
) {
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  const sample = async (): Promise<TimedSample> => {
    const [row] = await database.query<{ count: number }>(
      "SELECT count(*)::integer FROM pg_stat_activity WHERE application_name LIKE 'user-groups%' AND usename <> current_user",
    );
    return { ...(await inspector.sample()), second: elapsed(), connections: row?.count ?? 0 };
  };
  const sampleAtRest = async () => {
    // What the first time has finalised goes the second time.
    await inspector.collectGarbage();
    await inspector.collectGarbage();
    return sample();
  };
  const before = await sampleAtRest();
  let isOver = false;
  const load = startClients({ url, key, callers: CALLERS, addresses: ADDRESSES, until: { seconds } });
  load.finally(() => {
    isOver = true;
  });
  const samples: TimedSample[] = [];
  let isWarm = false;
  while (!isOver) {
    await sleep(SAMPLE_MS);
    samples.push(await sample());
    if (isWarm || elapsed() < WARM_UP * seconds) continue;
    isWarm = true;
    await inspector.readDelay();
  }
  const delay = await inspector.readDelay();
  await sleep(SETTLING_MS);
  const after = await sampleAtRest();
  const warm = samples.filter(({ second }) => second >= WARM_UP * seconds);
  const warmUp = samples.filter(({ second }) => second < WARM_UP * seconds);
  return { before, warmUp, warm, after, delay, load: await load };
}

/** Runs the clients in a process of their own. */
async function startClients(options: LoadOptions): Promise<LoadResult> {
  const child = fork(new URL("./soak-clients.js", import.meta.url));
  child.send(options);
  const failed = once(child, "exit").then(() => {
    throw new Error("The clients exited without a result.");
  });
  failed.catch(() => undefined);
  return (await Promise.race([once(child, "message"), failed]))[0];
}

/** Counts the messages in a log that are warnings or worse. */
async function countWarnings(log: string): Promise<ReadonlyMap<string, number>> {
  const warnings = new Map<string, number>();
  for await (const line of createInterface({ input: createReadStream(log) })) {
    if (!line.startsWith("{") || line.includes('"level":30')) continue;
    const { level, msg } = JSON.parse(line);
    if (level >= WARNING) warnings.set(msg, (warnings.get(msg) ?? 0) + 1);
  }
  return warnings;
}
