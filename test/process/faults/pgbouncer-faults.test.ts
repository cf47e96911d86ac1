import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { useFaultedService } from "../../support/faults/faulted-fixture.js";
import { POOL_SIZE } from "../../support/faults/faulted-service.js";
import { databaseUrl } from "../../support/postgres/database-url.js";
import { hasPgbouncer, startPgbouncer } from "../../support/programs/pgbouncer.js";

describe.skipIf(!hasPgbouncer)("behind PgBouncer in transaction mode", () => {
  const faulted = useFaultedService(
    ({ target }) => startPgbouncer(target, POOL_SIZE),
    ({ target }) => ({ DATABASE_POOLED: "true", DATABASE_LISTEN_URL: databaseUrl(target) }),
  );

  test.each([
    // The first signal waits for active queries, the second does not.
    ["is shut down", ["SIGINT", "SIGTERM"]],
    ["is killed", ["SIGKILL", "SIGKILL"]],
  ] as const)("survives when PgBouncer %s and starts again", async (_how, signals) => {
    const { service, through: pgbouncer } = faulted();
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

  test("survives repeatedly killed backends", async () => {
    const { service } = faulted();
    const { refused } = await service.under(() => service.killSessions());
    expect(refused).toBeGreaterThan(0);
  });
});
