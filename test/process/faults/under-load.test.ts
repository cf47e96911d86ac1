import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CUTS, type FaultProxy, startFaultProxy } from "../../support/faults/fault-proxy.js";
import {
  type FaultedFixture,
  type FaultedService,
  POOL_SIZE,
  startFaultedService,
  useFaultedService,
} from "../../support/faults/faulted-service.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { databaseUrl } from "../../support/postgres/database-url.js";
import {
  type RestartablePostgres,
  startRestartablePostgres,
} from "../../support/postgres/restartable-postgres.js";
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from "../../support/programs/pgbouncer.js";
import { callRest } from "../../support/rest/rest-client.js";
import { createTestProcesses } from "../../support/service/running-process.js";

const CONNECT_MS = 1500;
const STATEMENT_MS = 1500;
/** Less than a request may wait for a connection and for a reply. */
const REQUEST_MS = 3000;
/** Without timeouts a request would wait forever; a busy machine may exceed the timeouts. */
const LONGEST_MS = 10 * REQUEST_MS;
const IMPATIENT = {
  DATABASE_CONNECT_TIMEOUT_MS: String(CONNECT_MS),
  DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_MS),
  REQUEST_TIMEOUT_MS: String(REQUEST_MS),
};

interface Fault<Through> {
  readonly name: string;
  readonly during: (fixture: FaultedFixture<Through>) => Promise<void>;
  /** The server keeps connections that it considers alive. */
  readonly maxSessions?: number;
}

/** Runs each fault under load, and checks that it ends: nothing is lost or applied twice, and nothing hangs. */
function testFaults<Through>(fixture: () => FaultedFixture<Through>, faults: readonly Fault<Through>[]) {
  test.each(faults)("$name", async ({ during, maxSessions }) => {
    const { refused, longestMs } = await fixture().service.under(() => during(fixture()), maxSessions);
    expect(refused).toBeGreaterThan(0);
    expect(longestMs).toBeLessThan(LONGEST_MS);
  });
}

describe("over a network with faults, the service survives", () => {
  const faulted = useFaultedService<FaultProxy>(({ target }) => startFaultProxy(target));

  testFaults(faulted, [
    { name: "repeatedly killed backends", during: ({ service }) => service.killSessions() },
    {
      name: "connections that are reset or half-closed, old and new",
      async during({ through: proxy }) {
        for (let round = 0; round < 15; round += 1) {
          proxy.cut(CUTS[round % CUTS.length] ?? "reset");
          await sleep(100);
        }
        proxy.pass();
      },
    },
  ]);

  test("latency, without refusing anything", async () => {
    const { service, through: proxy } = faulted();
    const { refused } = await service.under(async () => {
      proxy.delay(50);
      await sleep(1500);
      proxy.pass();
    });
    expect(refused).toBe(0);
  });
});

describe("with short timeouts, the service survives", () => {
  const faulted = useFaultedService<FaultProxy>(
    ({ target }) => startFaultProxy(target),
    () => IMPATIENT,
  );

  testFaults(faulted, [
    {
      name: "traffic that is delayed beyond the transaction timeouts and then delivered",
      async during({ service, through: proxy }) {
        for (const end of [() => sleep(STATEMENT_MS + 200), () => service.untilUnready()]) {
          proxy.hold();
          await end();
          proxy.pass();
          await sleep(100);
        }
      },
    },
    {
      name: "a black hole in which both sides eventually learn that connections are lost",
      async during({ service, through: proxy }) {
        proxy.swallow();
        await service.untilUnready();
        await sleep(CONNECT_MS);
        proxy.pass();
        proxy.forget();
      },
    },
    {
      name: "a black hole that neither side notices",
      maxSessions: 2 * POOL_SIZE,
      async during({ through: proxy }) {
        proxy.swallow();
        await sleep(CONNECT_MS);
        proxy.pass();
      },
    },
  ]);

  test("a signal while its database does not respond, and exits", async () => {
    const { start, through: proxy } = faulted();
    proxy.forget();
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
    stopped.process.kill("SIGTERM");
    expect((await reply).status).toBe(503);
    expect(await stopped.process.ended).toMatchObject({ code: 0 });
    proxy.pass();
    proxy.forget();
    await stopped.close();
  });
});

describe.skipIf(!hasPgbouncer)("behind PgBouncer in transaction mode, the service survives", () => {
  const faulted = useFaultedService<Pgbouncer>(
    ({ target }) => startPgbouncer(target, POOL_SIZE),
    ({ target }) => ({ DATABASE_POOLED: "true", DATABASE_LISTEN_URL: databaseUrl(target) }),
  );
  const restart =
    (...signals: ("SIGINT" | "SIGTERM" | "SIGKILL")[]): Fault<Pgbouncer>["during"] =>
    async ({ service, through: pgbouncer }) => {
      for (const signal of signals) {
        await pgbouncer.end(signal);
        await service.untilUnready();
        await pgbouncer.start();
        await sleep(200);
      }
    };

  testFaults(faulted, [
    // The first signal waits for active queries, the second does not.
    { name: "its shutdowns and starts", during: restart("SIGINT", "SIGTERM") },
    { name: "its crashes", during: restart("SIGKILL", "SIGKILL") },
    { name: "repeatedly killed backends", during: ({ service }) => service.killSessions() },
  ]);
});

describe("the service survives crashes of PostgreSQL", () => {
  const processes = createTestProcesses();
  let postgres: RestartablePostgres;
  let service: FaultedService;
  beforeAll(async () => {
    postgres = await startRestartablePostgres();
    service = await startFaultedService(processes, postgres, postgres.target);
  });
  afterAll(async () => {
    await processes.close();
    await postgres.close();
  });

  test("and recovers, with one log line for each", async () => {
    const { refused } = await service.under(async () => {
      for (const wait of [async () => undefined, () => service.untilUnready()]) {
        await postgres.stopImmediately();
        await wait();
        await postgres.start();
        await sleep(200);
      }
    });
    expect(refused).toBeGreaterThan(0);
    // Not one line per probe.
    const lines = (message: string) => service.process.stderr().split(`"msg":"${message}"`).length - 1;
    expect(lines("ready again")).toBeGreaterThan(0);
    expect(lines("not ready")).toBe(lines("ready again"));
    await service.close();
  });
});
