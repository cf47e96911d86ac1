import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuMsOf, cpuMsOfChildren, memoryMbOf } from "../process-usage.js";
import type { ServerProcess } from "../server-process.js";
import { wireText } from "./http-request.js";
import type { Stage, Workload } from "./workload.js";
import { type LoadResult, runWrk, writeRequests } from "./wrk.js";

/** The result of one measurement. */
export interface Sample {
  readonly perSecond: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the contestant's process per request, in microseconds. */
  readonly serverUs: number;
  /** CPU time of PostgreSQL per request. */
  readonly databaseUs: number;
  readonly memoryMb: number;
}

export interface Measurement {
  readonly workload: Workload;
  readonly connections: number;
  readonly seconds: number;
  /** The mean pause of a connection before each request, in milliseconds. */
  readonly pauseMs?: number;
}

/** A server and its database. */
export interface Contestant extends ServerProcess {
  readonly stage: Stage;
}

/** More requests per second than any contestant handles. */
const MAX_PER_SECOND = 15_000;
/** Allowed deviation of the mean reply size, given more than a few replies. */
const SAME_SIZE = 0.05;
const MIN_REPLIES = 20;
const SETTLING_MS = 100;
/** CPU time of an idle server in that time. */
const IDLE_MS = 20;
const MAX_SETTLING_MS = 20_000;

/** Measures contestants under load. */
export class Meter {
  readonly #directory: string;
  /** Request files that can be reused, with the number of requests. */
  readonly #written = new Map<string, number>();
  /** Mean reply sizes during warm-up, by request file. */
  readonly #expectedBytes = new Map<string, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws Error when a request failed */
  async measure(contestant: Contestant, measurement: Measurement): Promise<Sample> {
    const { pid, stage } = contestant;
    const load = await this.#prepare(contestant, measurement);
    const before = [await cpuMsOf(pid), await databaseMsOf(stage)] as const;
    const { requests, perSecond, p50, p99 } = await load();
    const perRequest = (ms: number) => (requests > 0 ? (ms * 1000) / requests : Number.NaN);
    const serverUs = perRequest((await cpuMsOf(pid)) - before[0]);
    const databaseUs = perRequest((await databaseMsOf(stage)) - before[1]);
    const memoryMb = await memoryMbOf(pid);
    await this.#settle(contestant);
    return { perSecond, p50, p99, serverUs, databaseUs, memoryMb };
  }

  /** Waits for work left over from the load, which would disturb the next measurement. */
  async #settle({ pid, stage }: Contestant): Promise<void> {
    const deadline = Date.now() + MAX_SETTLING_MS;
    for (let quiet = 0; quiet < 2 && Date.now() < deadline; ) {
      const before = await cpuMsOf(pid);
      await sleep(SETTLING_MS);
      const isWorking = (await cpuMsOf(pid)) - before > IDLE_MS;
      const busy = await stage.database.query(
        "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()",
      );
      quiet = busy.length === 0 && !isWorking ? quiet + 1 : 0;
    }
  }

  async #prepare(contestant: Contestant, measurement: Measurement): Promise<() => Promise<LoadResult>> {
    const { workload, connections, seconds, pauseMs = 0 } = measurement;
    const { name, url, log } = contestant;
    const file = join(this.#directory, `${workload.name}-${name}.requests`);
    const count = this.#written.get(file) ?? (await this.#write(file, contestant, measurement));
    return async () => {
      const result = await runWrk({ url, connections, seconds, file, pauseMs }).catch((cause) => {
        throw new Error(`${name} fails at ${workload.name}; see ${log}`, { cause });
      });
      this.#requireSameSize(file, result);
      if (workload.writes && result.requests > count)
        throw new Error(`${count} requests were not enough for ${workload.name} of ${name}.`);
      return result;
    };
  }

  /** Detects errors with status 200. */
  #requireSameSize(file: string, { requests, meanBytes }: LoadResult): void {
    if (requests < MIN_REPLIES) return;
    const usual = this.#expectedBytes.get(file) ?? meanBytes;
    this.#expectedBytes.set(file, usual);
    if (Math.abs(meanBytes / usual - 1) > SAME_SIZE)
      throw new Error(`Replies have ${meanBytes} bytes instead of ${usual}: ${file}`);
  }

  async #write(file: string, contestant: Contestant, { workload, seconds }: Measurement): Promise<number> {
    const requests = await workload.requests(contestant, contestant.stage, seconds * MAX_PER_SECOND);
    await writeRequests(file, requests.map(wireText));
    if (!workload.writes) this.#written.set(file, requests.length);
    return requests.length;
  }
}

async function databaseMsOf({ database }: Stage): Promise<number> {
  const times = await Promise.all(database.pids.map(cpuMsOfChildren));
  return times.reduce((sum, ms) => sum + ms, 0);
}
