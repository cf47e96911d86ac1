import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { afterAll, beforeAll, expect } from "vitest";
import { clientOptions, type DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { databaseUrl } from "../postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../postgres/test-database.js";
import { callRest } from "../rest/rest-client.js";
import { createTestProcesses, type RunningService, type TestProcesses } from "../service/running-process.js";
import { startTestService } from "../service/test-service.js";
import { type Query, verifyLoad } from "./load-verification.js";
import { startLoad } from "./steady-load.js";

/** Shared by all services of a test file. */
const encryptionKey = randomBytes(32);
/** Maximum number of the service's database connections. */
export const POOL_SIZE = 4;
/** Successful requests in succession required before and after a fault. */
const CALM_CALLS = 30;
const CALM_TIMEOUT_MS = 120_000;
const HEALTH_MS = 50;
const KILL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** Results of the load during a fault. */
export interface FaultReport {
  /** The number of requests that got a 503. */
  readonly refused: number;
  /** The longest request, in milliseconds. */
  readonly longestMs: number;
}

/** A service process whose database is subjected to faults. */
export interface FaultedService {
  readonly process: RunningService;
  /** One key for each of two tenants. */
  readonly keys: readonly string[];
  /** Runs a statement as a superuser, bypassing the component in between. */
  readonly query: Query;
  /**
   * Runs a fault under a steady load and verifies the invariants of every fault.
   * @param fault resolves when it is over
   * @param mostSessions maximum number of database sessions afterwards, if not those of one pool
   */
  under(fault: () => Promise<void>, maxSessions?: number): Promise<FaultReport>;
  /** Terminates all database sessions repeatedly for a second. */
  killSessions(): Promise<void>;
  /** Waits until the service is not ready because of a lasting fault. */
  untilUnready(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the service on a migrated database.
 * @param through how the service reaches the database
 */
export async function startFaultedService(
  processes: TestProcesses,
  { target, owner }: Pick<TestDatabase, "target" | "owner">,
  through: DatabaseOptions["target"],
  env: Readonly<Record<string, string>> = {},
): Promise<FaultedService> {
  const keys = await createKeys({ target, owner }, encryptionKey);
  const administration = new Pool({ ...clientOptions(owner), max: 1 });
  // The fault may terminate this server.
  administration.on("error", () => undefined);
  const query: Query = async (text, values = []) => (await administration.query(text, [...values])).rows;
  const service = await processes.serve({
    env: {
      DATABASE_URL: databaseUrl(through),
      DATABASE_MIGRATION_URL: databaseUrl(owner),
      DATABASE_POOL_SIZE: String(POOL_SIZE),
      ENCRYPTION_KEYS: encryptionKey.toString("base64"),
      ...env,
    },
  });

  async function under(fault: () => Promise<void>, maxSessions = POOL_SIZE): Promise<FaultReport> {
    await expectNothingLeft(query, maxSessions);
    const load = startLoad(service.url, keys, `load-${randomBytes(4).toString("hex")}`);
    const { live, ready, ...health } = watchHealth(service.url);
    const { calls, violations } = load.journal;
    /** Waits for that many successful calls in succession. */
    const untilCalm = (from = -1) =>
      expect
        .poll(
          () =>
            calls.length -
            1 -
            Math.max(
              from,
              calls.findLastIndex(({ refused }) => refused),
            ),
          {
            timeout: CALM_TIMEOUT_MS,
          },
        )
        .toBeGreaterThan(CALM_CALLS);
    try {
      await untilCalm();
      await fault();
      await untilCalm(calls.length);
      await expect.poll(() => ready.at(-1)?.status).toBe(200);
    } finally {
      await Promise.all([load.stop(), health.stop()]);
    }
    await verifyLoad(load, query);
    expect(violations.slice(0, 5)).toEqual([]);
    expect(live.filter(({ status }) => status !== 200)).toEqual([]);
    await expectNothingLeft(query, maxSessions);
    return {
      refused: calls.filter(({ refused }) => refused).length,
      longestMs: Math.max(...calls.map(({ startedAt, endedAt }) => endedAt - startedAt)),
    };
  }

  return {
    process: service,
    keys,
    query,
    under,
    async killSessions() {
      for (let round = 0; round < 20; round += 1) {
        await query(KILL);
        await sleep(50);
      }
    },
    async untilUnready() {
      const status = async () => (await callRest(`${service.url}/readyz`, "GET", undefined)).status;
      await expect.poll(status, { timeout: CALM_TIMEOUT_MS }).toBe(503);
    },
    async close() {
      service.kill("SIGTERM");
      const { code, stderr } = await service.ended;
      await administration.end();
      expect(code).toBe(0);
      // Unexpected errors are logged at error level.
      expect(stderr.split("\n").filter((line) => line.includes('"level":50'))).toEqual([]);
    },
  };
}

/** Expects at most that many sessions, none within a transaction, and no locks. */
async function expectNothingLeft(query: Query, maxSessions: number): Promise<void> {
  const text = `SELECT count(*) <= $1 AS bounded,
      count(*) FILTER (WHERE state LIKE 'idle in transaction%')::integer AS open,
      (SELECT count(*)::integer FROM pg_locks
        WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS locks
    FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'user-groups/%'`;
  await expect.poll(() => query(text, [maxSessions])).toEqual([{ bounded: true, open: 0, locks: 0 }]);
}

/** Creates an account with data sources. @returns a key for each of its environments */
export async function createKeys(
  use: Pick<TestDatabase, "target" | "owner">,
  encryptionKey: Buffer,
): Promise<string[]> {
  const service = await startTestService({ use, encryptionKey });
  try {
    const account = await service.createAccount();
    const customer = await account.createKey();
    const testing = await account.createKey({ environment: "Testing" });
    return [customer.secret, testing.secret];
  } finally {
    await service.close();
  }
}

interface Health {
  /** 0 without a reply. */
  readonly status: number;
}

function watchHealth(url: string) {
  const live: Health[] = [];
  const ready: Health[] = [];
  let isStopping = false;
  const watch = async (path: string, seen: Health[]) => {
    while (!isStopping) {
      const reply = await callRest(`${url}/${path}`, "GET", undefined).catch(() => ({ status: 0 }));
      seen.push({ status: reply.status });
      await sleep(HEALTH_MS);
    }
  };
  const watching = Promise.all([watch("livez", live), watch("readyz", ready)]);
  return {
    live,
    ready,
    async stop() {
      isStopping = true;
      await watching;
    },
  };
}

/** A component between the service and its database that can fail. */
interface Between {
  /** The database, through the component. */
  readonly target: DatabaseOptions["target"];
  close(): Promise<void>;
}

export interface FaultedFixture<Through> {
  readonly service: FaultedService;
  readonly through: Through;
  /** Starts a second service. */
  start(): Promise<FaultedService>;
}

/**
 * Starts the service for a test file, with a component between it and its database.
 * @param open starts the component
 * @param settings further settings of the service
 * @returns a getter for the fixture
 */
export function useFaultedService<Through extends Between>(
  open: (database: TestDatabase) => Promise<Through>,
  settings: (database: TestDatabase) => Readonly<Record<string, string>> = () => ({}),
): () => FaultedFixture<Through> {
  const processes = createTestProcesses();
  const opened: (() => Promise<unknown>)[] = [];
  let fixture: FaultedFixture<Through> | undefined;
  beforeAll(async () => {
    const database = await createTestDatabase();
    opened.unshift(() => database.drop());
    const through = await open(database);
    opened.unshift(() => through.close());
    opened.unshift(() => processes.close());
    const start = () => startFaultedService(processes, database, through.target, settings(database));
    const service = await start();
    fixture = { service, through, start };
  });
  afterAll(async () => {
    try {
      await fixture?.service.close();
    } finally {
      for (const close of opened) await close();
    }
  });
  return () => {
    if (!fixture) throw new Error("The fixture is there once the tests run.");
    return fixture;
  };
}
