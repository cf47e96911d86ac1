import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Contestant, PGBENCH } from "./contestants.js";
import { wireText } from "./http-request.js";
import { runPgbench } from "./pgbench.js";
import { cpuMsOf, cpuMsOfChildren, memoryMbOf } from "./process-usage.js";
import type { Stage, Workload } from "./workload.js";
import { type LoadResult, runWrk, writeRequests } from "./wrk.js";

/** What one measurement came to. */
export interface Sample {
  readonly perSecond: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** How long the contestant's process worked for a request, in microseconds; NaN where there is none. */
  readonly serverUs: number;
  /** The same of PostgreSQL. */
  readonly databaseUs: number;
  readonly memoryMb: number;
}

export interface Measurement {
  readonly workload: Workload;
  readonly connections: number;
  readonly seconds: number;
  /** The mean pause of a connection before each request, in milliseconds. */
  readonly pauseMs: number;
}

/** More requests than a contestant answers in a second. */
const FASTEST = 15_000;
/** By how much the mean size of replies may differ, of more than a few. */
const SAME_SIZE = 0.05;
const FEW = 20;
const SETTLING_MS = 100;
/** What a server that does nothing works in that time. */
const IDLE_MS = 20;
const LONGEST_SETTLING_MS = 20_000;

/** Puts contestants under load. */
export class Meter {
  readonly #stage: Stage;
  readonly #directory: string;
  readonly #pgbench: string | undefined;
  /** The files of requests that may be sent again, by their paths, with how many they are. */
  readonly #written = new Map<string, number>();
  /** How large replies were when the contestants warmed up, by the same paths. */
  readonly #usualBytes = new Map<string, number>();

  constructor(stage: Stage, directory: string, pgbench: string | undefined) {
    this.#stage = stage;
    this.#directory = directory;
    this.#pgbench = pgbench;
  }

  /** @throws Error when a request was refused or failed: figures of failures are worth nothing */
  async measure(contestant: Contestant | typeof PGBENCH, measurement: Measurement): Promise<Sample> {
    const { database } = this.#stage;
    const run = await this.#prepare(contestant, measurement);
    const server = contestant === PGBENCH ? undefined : contestant.pid;
    const serverBefore = server === undefined ? Number.NaN : await cpuMsOf(server);
    const databaseBefore = await cpuMsOfChildren(database.pid);
    const { requests, perSecond, p50, p99 } = await run();
    const serverMs = server === undefined ? Number.NaN : (await cpuMsOf(server)) - serverBefore;
    const databaseMs = (await cpuMsOfChildren(database.pid)) - databaseBefore;
    const memoryMb = server === undefined ? Number.NaN : await memoryMbOf(server);
    await this.#settle(server);
    return {
      perSecond,
      p50,
      p99,
      serverUs: requests > 0 ? (serverMs * 1000) / requests : Number.NaN,
      databaseUs: requests > 0 ? (databaseMs * 1000) / requests : Number.NaN,
      memoryMb,
    };
  }

  /** Waits for what was under way when the load ended: it would disturb the next one, or change what that is to find. */
  async #settle(server: number | undefined): Promise<void> {
    const deadline = Date.now() + LONGEST_SETTLING_MS;
    for (let quiet = 0; quiet < 2 && Date.now() < deadline; ) {
      const before = server === undefined ? 0 : await cpuMsOf(server);
      await sleep(SETTLING_MS);
      const worked = server === undefined ? 0 : (await cpuMsOf(server)) - before;
      const busy = await this.#stage.database.query(
        "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()",
      );
      quiet = busy.length === 0 && worked <= IDLE_MS ? quiet + 1 : 0;
    }
  }

  async #prepare(
    contestant: Contestant | typeof PGBENCH,
    measurement: Measurement,
  ): Promise<() => Promise<LoadResult>> {
    const { workload, connections, seconds, pauseMs } = measurement;
    if (contestant === PGBENCH) {
      const { database, world } = this.#stage;
      const path = this.#pgbench ?? PGBENCH;
      return () => runPgbench(path, database, world, { connections, seconds }, this.#directory);
    }
    const file = join(this.#directory, `${workload.name}-${contestant.name}.requests`);
    const count = this.#written.get(file) ?? (await this.#write(file, contestant, measurement));
    return async () => {
      const result = await runWrk({ url: contestant.url, connections, seconds, file, pauseMs }).catch(
        (error) => {
          throw new Error(`${contestant.name} fails at ${workload.name}; see ${contestant.log}`, {
            cause: error,
          });
        },
      );
      this.#requireUsualSize(file, result);
      if (workload.writes && result.requests > count) {
        throw new Error(`${count} requests were not enough for ${workload.name} of ${contestant.name}.`);
      }
      return result;
    };
  }

  /** An error that comes with status 200 would else count as an answer. */
  #requireUsualSize(course: string, { requests, meanBytes }: LoadResult): void {
    if (requests < FEW) return;
    const usual = this.#usualBytes.get(course) ?? meanBytes;
    this.#usualBytes.set(course, usual);
    if (Math.abs(meanBytes / usual - 1) > SAME_SIZE) {
      throw new Error(`Replies have ${meanBytes} bytes instead of ${usual}: ${course}`);
    }
  }

  async #write(file: string, contestant: Contestant, { workload, seconds }: Measurement): Promise<number> {
    const requests = await workload.requests(contestant, this.#stage, seconds * FASTEST);
    await writeRequests(file, requests.map(wireText));
    if (!workload.writes) this.#written.set(file, requests.length);
    return requests.length;
  }
}
