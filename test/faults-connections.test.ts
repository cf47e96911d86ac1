import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CUTS, type FaultProxy, startFaultProxy } from "./support/fault-proxy.js";
import { type FaultedService, startFaultedService } from "./support/faulted-service.js";
import { createTestProcesses } from "./support/running-process.js";
import { createTestDatabase, type TestDatabase } from "./support/test-database.js";

const KILL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

const processes = createTestProcesses();
let database: TestDatabase;
let proxy: FaultProxy;
let service: FaultedService;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startFaultProxy(database.target);
  service = await startFaultedService(processes, database, proxy.target);
});
afterAll(async () => {
  try {
    await service.close();
  } finally {
    await processes.close();
    await proxy.close();
    await database.drop();
  }
});

test("backends are killed, time and again", async () => {
  const { refused } = await service.under(async () => {
    for (let round = 0; round < 20; round += 1) {
      await service.query(KILL);
      await sleep(50);
    }
  });
  expect(refused).toBeGreaterThan(0);
});

test("a network that is slow only makes it slow", async () => {
  const { refused } = await service.under(async () => {
    proxy.delay(50);
    await sleep(1500);
    proxy.pass();
  });
  expect(refused).toBe(0);
});

test("connections are reset, or told by one side that no more comes, old ones and new ones", async () => {
  const { refused } = await service.under(async () => {
    for (let round = 0; round < 15; round += 1) {
      proxy.cut(CUTS[round % CUTS.length] ?? "reset");
      await sleep(100);
    }
    proxy.pass();
  });
  expect(refused).toBeGreaterThan(0);
});
