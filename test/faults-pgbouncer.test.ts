import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseUrl } from "./support/database-url.js";
import { type FaultedService, POOL_SIZE, startFaultedService } from "./support/faulted-service.js";
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from "./support/pgbouncer.js";
import { createTestProcesses } from "./support/running-process.js";
import { createTestDatabase, type TestDatabase } from "./support/test-database.js";

const KILL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

describe.skipIf(!hasPgbouncer)("behind PgBouncer in transaction mode", () => {
  const processes = createTestProcesses();
  let database: TestDatabase;
  let pgbouncer: Pgbouncer;
  let service: FaultedService;
  beforeAll(async () => {
    database = await createTestDatabase();
    pgbouncer = await startPgbouncer(database.target, POOL_SIZE);
    service = await startFaultedService(processes, database, pgbouncer.target, {
      DATABASE_POOLED: "true",
      DATABASE_LISTEN_URL: databaseUrl(database.target),
    });
  });
  afterAll(async () => {
    try {
      await service.close();
    } finally {
      await processes.close();
      await pgbouncer.close();
      await database.drop();
    }
  });

  test.each([
    // The first waits for what is under way, the second does not.
    ["is shut down", ["SIGINT", "SIGTERM"]],
    ["is killed", ["SIGKILL", "SIGKILL"]],
  ] as const)("it %s, and starts again", async (_how, signals) => {
    const { refused } = await service.under(async () => {
      for (const signal of signals) {
        await pgbouncer.end(signal);
        await service.untilUnready();
        await pgbouncer.start();
        await sleep(200);
      }
    });
    expect(refused).toBeGreaterThan(0);
  });

  test("its backends are killed, time and again", async () => {
    const { refused } = await service.under(async () => {
      for (let round = 0; round < 20; round += 1) {
        await service.query(KILL);
        await sleep(50);
      }
    });
    expect(refused).toBeGreaterThan(0);
  });
});
