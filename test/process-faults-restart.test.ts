import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseUrl } from "./support/database-url.js";
import { type FaultedService, POOL_SIZE, startFaultedService } from "./support/faulted-service.js";
import { hasPgbouncer, startPgbouncer } from "./support/pgbouncer.js";
import { type RestartablePostgres, startRestartablePostgres } from "./support/restartable-postgres.js";
import { createTestProcesses } from "./support/running-process.js";

const processes = createTestProcesses();
let postgres: RestartablePostgres;
beforeAll(async () => {
  postgres = await startRestartablePostgres();
});
afterAll(async () => {
  await processes.close();
  await postgres.close();
});

/** Ends PostgreSQL as a crash would, twice, and starts it again. @param whileDown runs the second time */
async function expectRestartsSurvived(
  service: FaultedService,
  whileDown: () => Promise<void>,
): Promise<void> {
  const { refused } = await service.under(async () => {
    for (const wait of [async () => undefined, whileDown]) {
      await postgres.stopImmediately();
      await wait();
      await postgres.start();
      await sleep(200);
    }
  });
  expect(refused).toBeGreaterThan(0);
  await service.close();
}

test("pg_ctl stop -m immediate, and a start again", async () => {
  const service = await startFaultedService(processes, postgres, postgres.target);
  await expectRestartsSurvived(service, () => service.untilUnready());
});

test.skipIf(!hasPgbouncer)("the same behind PgBouncer in transaction mode", async () => {
  const pgbouncer = await startPgbouncer(postgres.target, POOL_SIZE);
  try {
    const env = { DATABASE_POOLED: "true", DATABASE_LISTEN_URL: databaseUrl(postgres.target) };
    const service = await startFaultedService(processes, postgres, pgbouncer.target, env);
    // PgBouncer keeps its clients waiting for a while.
    await expectRestartsSurvived(service, () => sleep(700));
  } finally {
    await pgbouncer.close();
  }
});
