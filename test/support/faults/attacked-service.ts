import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { expect } from "vitest";
import { databaseUrl } from "../postgres/database-url.js";
import { createTestDatabase } from "../postgres/test-database.js";
import { callRest } from "../rest/rest-client.js";
import { METRICS_TOKEN } from "../service/metric-samples.js";
import { PATIENT } from "../service/patience.js";
import { createTestProcesses, type RunningService } from "../service/running-process.js";
import { createKeys } from "./faulted-service.js";

/** The memory limit in the Kubernetes manifests. */
const HEAP_MB = 384;
const MAX_RSS_MB = 400;
/**
 * Maximum CPU time that the service spends on attackers while another caller waits. CPU time is more reliable than wall time on a busy
 * machine: 0.5 to 2 s, depending on what the machine takes for a megabyte of memory. Unlimited, it was 15 s.
 */
export const MAX_CPU_MS = 5_000;
/** Fields of /proc/<pid>/stat after the name, and their unit on Linux. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const TICK_MS = 10;
const REST_MS = 30;
/** Grace period for an exiting process, and the length of its last output to report. */
const DEATH_MS = 2_000;
const LAST_WORDS = 3_000;
const GROUP = { user_group_id: "somebody-else", name: "Somebody else" };

/** A compiled service with little memory, as a target of attacks. */
export interface AttackedService extends RunningService {
  /** An API key of the attacking account. */
  readonly key: string;
  /** Expects that nothing was logged as an internal error. */
  expectNoErrors(): void;
  /**
   * Observes the service during an attack: its peak memory, and how long it keeps other callers waiting.
   * @param options.maySucceedLater whether other callers' requests may get 503
   * @throws Error when another caller's request fails
   */
  watch(work: () => Promise<unknown>, options?: { readonly maySucceedLater?: boolean }): Promise<Observation>;
  close(): Promise<void>;
}

export interface Observation {
  readonly rssMb: number;
  /** The service's maximum CPU time during another tenant's GET, and during a GET of /livez. */
  readonly cpuMs: { readonly get: number; readonly livez: number };
}

/** Starts it until `close`. @param settings environment variables */
export async function startAttackedService(
  settings: Readonly<Record<string, string>>,
): Promise<AttackedService> {
  const database = await createTestDatabase();
  const processes = createTestProcesses();
  const encryptionKey = randomBytes(32);
  const [key = ""] = await createKeys(database, encryptionKey);
  const [otherKey] = await createKeys(database, encryptionKey);
  const env = {
    DATABASE_URL: databaseUrl(database.target),
    ENCRYPTION_KEYS: encryptionKey.toString("base64"),
    METRICS_TOKEN,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    // What counts is the CPU time.
    ...PATIENT,
    ...settings,
  };
  const service = await processes.serve({ env });
  const others = {
    async get(maySucceedLater: boolean) {
      const reply = await callRest(`${service.url}/api/user`, "GET", otherKey, GROUP);
      if (maySucceedLater && reply.status === 503) return;
      expect(reply).toMatchObject({ status: 200, body: { user_group: { provided_id: "somebody-else" } } });
    },
    async livez() {
      const { statusCode, body } = await request(`${service.url}/livez`);
      await body.dump();
      expect(statusCode).toBe(200);
    },
  };
  return {
    ...service,
    key,
    expectNoErrors: () => expect(service.stderr().match(/.*"level":50.*/g)).toBeNull(),
    async watch(work, { maySucceedLater = false } = {}) {
      const cpuMs = { get: 0, livez: 0 };
      let rssMb = 0;
      let isOver = false;
      const lanes = [
        repeat(async () => {
          cpuMs.get = Math.max(cpuMs.get, await cpuMsDuring(() => others.get(maySucceedLater)));
        }),
        repeat(async () => {
          cpuMs.livez = Math.max(cpuMs.livez, await cpuMsDuring(others.livez));
        }),
        repeat(async () => {
          rssMb = Math.max(rssMb, await residentMb(service.pid));
        }),
      ];
      try {
        await Promise.all([...lanes, work().finally(end)]);
      } catch (error) {
        // If the service has exited, its last output explains more than the caller's error.
        const ended = await Promise.race([service.ended, sleep(DEATH_MS)]);
        if (!ended) throw error;
        throw new Error(`The service has ended: ${ended.stderr.slice(-LAST_WORDS)}`, { cause: error });
      } finally {
        end();
      }
      return { rssMb: Math.round(rssMb), cpuMs };

      async function cpuMsDuring(call: () => Promise<void>): Promise<number> {
        const before = await cpuMsOf(service.pid);
        await call();
        return (await cpuMsOf(service.pid)) - before;
      }

      function end(): void {
        isOver = true;
      }

      async function repeat(step: () => Promise<unknown>): Promise<void> {
        do {
          await step();
          await sleep(REST_MS);
        } while (!isOver);
      }
    },
    async close() {
      await processes.close();
      await database.drop();
    },
  };
}

/** Expects bounded memory and hardly affected other callers after an attack. */
export function expectSurvived(name: string, attack: Observation): void {
  const seen = `${name}: ${JSON.stringify(attack)}`;
  expect(attack.rssMb, seen).toBeLessThan(MAX_RSS_MB);
  expect(attack.cpuMs.get, seen).toBeLessThan(MAX_CPU_MS);
  expect(attack.cpuMs.livez, seen).toBeLessThan(MAX_CPU_MS);
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const [, kilobytes = ""] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kilobytes) / 1024;
}

/** The CPU time that a process has used so far. */
async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // Skip the name, which can contain anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * TICK_MS;
}
