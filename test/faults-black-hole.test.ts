import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEventStream } from "./support/event-stream-client.js";
import { type FaultProxy, startFaultProxy } from "./support/fault-proxy.js";
import { type FaultedService, POOL_SIZE, startFaultedService } from "./support/faulted-service.js";
import { callRest } from "./support/rest-client.js";
import { createTestProcesses } from "./support/running-process.js";
import { createTestDatabase, type TestDatabase } from "./support/test-database.js";

const CONNECT_MS = 1500;
const STATEMENT_MS = 1500;
const IDLE_TRANSACTION_MS = 1000;
const ANSWER_MS = STATEMENT_MS + 1000;
/** A request waits for a connection and for an answer; what it does besides has a second. */
const LONGEST_MS = CONNECT_MS + ANSWER_MS + 1000;

const processes = createTestProcesses();
let database: TestDatabase;
let proxy: FaultProxy;
let service: FaultedService;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startFaultProxy(database.target);
  service = await start();
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

const start = () =>
  startFaultedService(processes, database, proxy.target, {
    DATABASE_CONNECT_TIMEOUT_MS: String(CONNECT_MS),
    DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_MS),
    DATABASE_LOCK_TIMEOUT_MS: String(STATEMENT_MS),
    DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: String(IDLE_TRANSACTION_MS),
  });

test("nothing arrives for a while, then all of it: too late for a transaction, or for anything", async () => {
  const { refused, longestMs } = await service.under(async () => {
    for (const end of [() => sleep(IDLE_TRANSACTION_MS + 200), () => service.untilUnready()]) {
      proxy.hold();
      await end();
      proxy.pass();
      await sleep(100);
    }
  });
  expect(refused).toBeGreaterThan(0);
  expect(longestMs).toBeLessThan(LONGEST_MS);
});

test("a black hole: nothing arrives, ever, and in the end both sides learn that their connections are gone", async () => {
  const { refused, longestMs } = await service.under(async () => {
    proxy.swallow();
    await service.untilUnready();
    await sleep(CONNECT_MS);
    proxy.pass();
    proxy.forget();
  });
  expect(refused).toBeGreaterThan(0);
  expect(longestMs).toBeLessThan(LONGEST_MS);
});

test("a black hole of which neither side ever learns: the time-outs see to what was swallowed", async () => {
  const { refused, longestMs } = await service.under(
    async () => {
      proxy.swallow();
      await sleep(CONNECT_MS);
      proxy.pass();
    },
    // The server keeps those that it believes in.
    2 * POOL_SIZE,
  );
  expect(refused).toBeGreaterThan(0);
  expect(longestMs).toBeLessThan(LONGEST_MS);
  proxy.forget();
});

test("a process that nobody answers any more ends when it is told to", async () => {
  const stopped = await start();
  const [key = ""] = stopped.keys;
  const acme = { user_group_id: "acme", name: "Acme" };
  const { url } = stopped.process;
  await callRest(`${url}/api/user`, "GET", key, acme);
  const watch = `subscription { userGroupChanged(by: { providedId: "acme" }) { kind } }`;
  const stream = await openEventStream(url, `Token ${key}`, watch);
  expect(stream.status).toBe(200);
  proxy.swallow();
  const reply = callRest(`${url}/api/user`, "GET", key, acme);
  await sleep(50);
  const startedAt = Date.now();
  stopped.process.kill("SIGTERM");
  expect((await reply).status).toBe(503);
  expect(await stopped.process.ended).toMatchObject({ code: 0 });
  expect(Date.now() - startedAt).toBeLessThan(2 * LONGEST_MS);
  proxy.pass();
  proxy.forget();
  await stopped.close();
});
