import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startFaultProxy } from "../../support/faults/fault-proxy.js";
import { useFaultedService } from "../../support/faults/faulted-fixture.js";
import { POOL_SIZE } from "../../support/faults/faulted-service.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { callRest } from "../../support/rest/rest-client.js";

const CONNECT_MS = 1500;
const STATEMENT_MS = 1500;
const IDLE_TRANSACTION_MS = 1000;
/** Less than a request may wait for a connection and for a reply. */
const REQUEST_MS = 3000;
/** Without timeouts a request would wait forever; a busy machine may exceed the timeouts. */
const LONGEST_MS = 10 * REQUEST_MS;

const faulted = useFaultedService(
  ({ target }) => startFaultProxy(target),
  () => ({
    DATABASE_CONNECT_TIMEOUT_MS: String(CONNECT_MS),
    DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_MS),
    DATABASE_LOCK_TIMEOUT_MS: String(STATEMENT_MS),
    DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: String(IDLE_TRANSACTION_MS),
    REQUEST_TIMEOUT_MS: String(REQUEST_MS),
  }),
);

test("traffic is delayed beyond the transaction timeouts and then delivered", async () => {
  const { service, through: proxy } = faulted();
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

test("a black hole in which both sides eventually learn that connections are lost", async () => {
  const { service, through: proxy } = faulted();
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

test("a black hole that neither side notices: timeouts recover", async () => {
  const { service, through: proxy } = faulted();
  const { refused, longestMs } = await service.under(
    async () => {
      proxy.swallow();
      await sleep(CONNECT_MS);
      proxy.pass();
    },
    // The server keeps connections that it considers alive.
    2 * POOL_SIZE,
  );
  expect(refused).toBeGreaterThan(0);
  expect(longestMs).toBeLessThan(LONGEST_MS);
  proxy.forget();
});

test("a process without a responding database exits when signalled", async () => {
  const { start, through: proxy } = faulted();
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
