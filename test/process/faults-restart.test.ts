import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FaultedService, POOL_SIZE, startFaultedService } from "../support/faults/faulted-service.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import {
  type RestartablePostgres,
  startRestartablePostgres,
} from "../support/postgres/restartable-postgres.js";
import { hasPgbouncer, startPgbouncer } from "../support/programs/pgbouncer.js";
import { createTestProcesses } from "../support/service/running-process.js";

const processes = createTestProcesses();
let postgres: RestartablePostgres;
beforeAll(async () => {
  postgres = await startRestartablePostgres();
});
afterAll(async () => {
  await processes.close();
  await postgres.close();
});

/**
 * Crashes PostgreSQL twice and restarts it.
 * @param whileDown runs the second time
 * @returns how many requests were refused, and how often the service became ready again
 */
async function surviveRestarts(
  service: FaultedService,
  whileDown: () => Promise<void>,
): Promise<{ refused: number; recoveries: number }> {
  const { refused } = await service.under(async () => {
    for (const wait of [async () => undefined, whileDown]) {
      await postgres.stopImmediately();
      await wait();
      await postgres.start();
      await sleep(200);
    }
  });
  // Not one line per probe.
  const lines = (message: string) => service.process.stderr().split(`"msg":"${message}"`).length - 1;
  const recoveries = lines("ready again");
  expect(lines("not ready")).toBe(recoveries);
  await service.close();
  return { refused, recoveries };
}

test("survives pg_ctl stop -m immediate and a restart", async () => {
  const service = await startFaultedService(processes, postgres, postgres.target);
  const { refused, recoveries } = await surviveRestarts(service, () => service.untilUnready());
  expect(refused).toBeGreaterThan(0);
  expect(recoveries).toBeGreaterThan(0);
});

test.skipIf(!hasPgbouncer)("survives the same behind PgBouncer in transaction mode", async () => {
  const pgbouncer = await startPgbouncer(postgres.target, POOL_SIZE);
  try {
    const env = { DATABASE_POOLED: "true", DATABASE_LISTEN_URL: databaseUrl(postgres.target) };
    const service = await startFaultedService(processes, postgres, pgbouncer.target, env);
    // PgBouncer keeps its clients waiting for a while, so the service may refuse nothing and stay ready.
    await surviveRestarts(service, () => sleep(700));
  } finally {
    await pgbouncer.close();
  }
});
