import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuMsOf, cpuMsOfChildren, memoryMbOf } from "../process-usage.js";
import type { ServerProcess } from "../server-process.js";
import { PGBENCH } from "./contestants.js";
import { wireText } from "./http-request.js";
import { runPgbench } from "./pgbench.js";
import type { Stage, Workload } from "./workload.js";
import { type LoadResult, runWrk, writeRequests } from "./wrk.js";

/** The result of one measurement. */
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
  readonly pauseMs?: number;
}

/** Somebody who is measured: a server, or pgbench. */
export type Contestant = ServerProcess | { readonly name: typeof PGBENCH; readonly path: string };

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
  /** The files of requests that may be sent again, by their paths, with how many they are. */
  readonly #written = new Map<string, number>();
  /** How large replies were when the contestants warmed up, by the same paths. */
  readonly #usualBytes = new Map<string, number>();

  constructor(stage: Stage, directory: string) {
    this.#stage = stage;
    this.#directory = directory;
  }

  /** @throws Error when a request was refused or failed: figures of failures are worth nothing */
  async measure(contestant: Contestant, measurement: Measurement): Promise<Sample> {
    const { pid } = this.#stage.database;
    const load = await this.#prepare(contestant, measurement);
    const server = "pid" in contestant ? contestant.pid : undefined;
    const cpuMs = async () => (server === undefined ? Number.NaN : cpuMsOf(server));
    const before = [await cpuMs(), await cpuMsOfChildren(pid)] as const;
    const { requests, perSecond, p50, p99 } = await load();
    const perRequest = (ms: number) => (requests > 0 ? (ms * 1000) / requests : Number.NaN);
    const serverUs = perRequest((await cpuMs()) - before[0]);
    const databaseUs = perRequest((await cpuMsOfChildren(pid)) - before[1]);
    const memoryMb = server === undefined ? Number.NaN : await memoryMbOf(server);
    await this.#settle(cpuMs);
    return { perSecond, p50, p99, serverUs, databaseUs, memoryMb };
  }

  /** Waits for what was under way when the load ended: it would disturb the next one, or change what that is to find. */
  async #settle(cpuMs: () => Promise<number>): Promise<void> {
    const deadline = Date.now() + LONGEST_SETTLING_MS;
    for (let quiet = 0; quiet < 2 && Date.now() < deadline; ) {
      const before = await cpuMs();
      await sleep(SETTLING_MS);
      const isWorking = (await cpuMs()) - before > IDLE_MS;
      const busy = await this.#stage.database.query(
        "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()",
      );
      quiet = busy.length === 0 && !isWorking ? quiet + 1 : 0;
    }
  }

  async #prepare(contestant: Contestant, measurement: Measurement): Promise<() => Promise<LoadResult>> {
    const { workload, connections, seconds, pauseMs = 0 } = measurement;
    if ("path" in contestant)
      return () => runPgbench(contestant.path, this.#stage, measurement, this.#directory);
    const { name, url, log } = contestant;
    const file = join(this.#directory, `${workload.name}-${name}.requests`);
    const count = this.#written.get(file) ?? (await this.#write(file, contestant, measurement));
    return async () => {
      const result = await runWrk({ url, connections, seconds, file, pauseMs }).catch((cause) => {
        throw new Error(`${name} fails at ${workload.name}; see ${log}`, { cause });
      });
      this.#requireUsualSize(file, result);
      if (workload.writes && result.requests > count)
        throw new Error(`${count} requests were not enough for ${workload.name} of ${name}.`);
      return result;
    };
  }

  /** An error that comes with status 200 would else count as an answer. */
  #requireUsualSize(file: string, { requests, meanBytes }: LoadResult): void {
    if (requests < FEW) return;
    const usual = this.#usualBytes.get(file) ?? meanBytes;
    this.#usualBytes.set(file, usual);
    if (Math.abs(meanBytes / usual - 1) > SAME_SIZE)
      throw new Error(`Replies have ${meanBytes} bytes instead of ${usual}: ${file}`);
  }

  async #write(file: string, server: ServerProcess, { workload, seconds }: Measurement): Promise<number> {
    const requests = await workload.requests(server, this.#stage, seconds * FASTEST);
    await writeRequests(file, requests.map(wireText));
    if (!workload.writes) this.#written.set(file, requests.length);
    return requests.length;
  }
}
