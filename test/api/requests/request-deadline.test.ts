import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { openEventStream, openGroupStream } from "../../support/graphql/event-stream-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError } from "../../support/rest/rest-fixture.js";
import { metricValue } from "../../support/service/metric-samples.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

const TIMEOUT_MS = 1000;
/** A single change stays below the deadline; several in sequence do not. */
const CHANGE_MS = 300;
const CHANGES = 8;

let service: TestService;
let key: string;
let holder: Client;
beforeAll(async () => {
  service = await startTestService({ requestTimeoutMs: TIMEOUT_MS });
  key = (await (await service.createAccount()).createKey()).secret;
  await rest("GET", { user_group_id: "acme", name: "Acme" });
  await service.query(`CREATE FUNCTION take_time() RETURNS boolean LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_sleep(${CHANGE_MS / 1000}); RETURN true; END $$`);
  // Not a trigger, which Citus does not support.
  await service.query(
    "CREATE POLICY take_time ON user_group AS RESTRICTIVE FOR UPDATE WITH CHECK (take_time())",
  );
  holder = new Client(clientOptions(service.owner));
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await service.close();
});

const rest = (method: string, body: object) => callRest(`${service.url}/api/user`, method, key, body);
const changes = Array.from({ length: CHANGES }, (_, index) => {
  const input = `{ by: { providedId: "acme" }, name: "Change ${index}", mapping: [{ schemaId: "a", dataSource: "sales" }] }`;
  return `c${index}: updateUserGroup(input: ${input}) { userGroup { name } userErrors { code } }`;
});
const change = (headers: Readonly<Record<string, string>> = {}) =>
  callRest(`${service.url}/graphql`, "POST", key, { query: `mutation { ${changes.join(" ")} }` }, headers);

/** Waits until the running statements have completed. */
async function untilIdle(): Promise<void> {
  const busy = `SELECT count(*)::integer AS open FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'user-groups' AND state <> 'idle'`;
  await expect.poll(() => service.query(busy)).toEqual([{ open: 0 }]);
}

async function nameOfAcme(): Promise<string> {
  const { body } = await rest("GET", { user_group_id: "acme" });
  return Object(body).user_group.name;
}

test.each([
  ["each on its own", {}],
  ["in one transaction", { "idempotency-key": "changes" }],
])(
  "an operation with many statements, %s, stops at the deadline and sends no further ones",
  async (_how, headers) => {
    const before = await nameOfAcme();
    const startedAt = performance.now();
    const reply = await change(headers);
    expect(reply).toMatchObject({
      status: 503,
      headers: { "retry-after": "1" },
      body: {
        errors: [
          { message: "The request took too long. Try again shortly.", extensions: { code: "UNAVAILABLE" } },
        ],
      },
    });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(TIMEOUT_MS);
    // The running statement completes; no further ones are sent.
    await sleep(2 * CHANGE_MS);
    await untilIdle();
    const sent = service.statements.length;
    await sleep(2 * CHANGE_MS);
    expect(service.statements.slice(sent)).toEqual([]);
    if ("idempotency-key" in headers) expect(await nameOfAcme()).toBe(before);
    else expect(await nameOfAcme()).not.toBe(`Change ${CHANGES - 1}`);
  },
);

test("a request stopped at the deadline can be retried with its Idempotency-Key", async () => {
  const headers = { "idempotency-key": "again" };
  expect((await change(headers)).status).toBe(503);
  await untilIdle();
  await service.query("DROP POLICY take_time ON user_group");
  await expect.poll(async () => (await change(headers)).status).toBe(200);
  expect(await nameOfAcme()).toBe(`Change ${CHANGES - 1}`);
});

test("a request waiting for a connection ends at the deadline", async () => {
  const crowded = await startTestService({
    use: service,
    poolSize: 1,
    requestTimeoutMs: 500,
    lockTimeoutMs: 3000,
    speed: { batchStatements: false, keyCacheMs: 0 },
  });
  try {
    const { accountId, createKey } = await crowded.createAccount();
    const { secret } = await createKey();
    const send = (method: string, body: object) => callRest(`${crowded.url}/api/user`, method, secret, body);
    await send("GET", { user_group_id: "crowd", name: "Crowd" });
    await holder.query("BEGIN");
    await holder.query("SELECT FROM user_group WHERE account_id = $1 FOR UPDATE", [accountId]);
    const change = send("PUT", { user_group_id: "crowd", name: "Waits for a lock" });
    // Not by its lock, which is on a worker of Citus.
    const waiting = `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND query LIKE '%UPDATE user_group SET%'
        AND pid <> pg_backend_pid()`;
    await expect.poll(() => service.query(waiting), { interval: 20 }).toEqual([{ count: 1 }]);
    const watch = `subscription { userGroupChanged(by: { providedId: "crowd" }) { kind } }`;
    const stream = openEventStream(crowded.url, `Token ${secret}`, watch);
    const replies = await Promise.all([
      change,
      send("GET", { user_group_id: "crowd" }),
      send("GET", { user_group_id: "crowd" }),
    ]);
    for (const reply of replies) {
      expectError(reply, 503, {
        code: "unavailable",
        message: "The request took too long. Try again shortly.",
      });
      expect(reply.headers["retry-after"]).toBe("1");
    }
    expect(await stream).toMatchObject({
      status: 503,
      body: { errors: [{ extensions: { code: "UNAVAILABLE" } }] },
    });
    await holder.query("ROLLBACK");
    // An unfinished subscription leaves nothing behind.
    await expect.poll(() => crowded.database.poolUsage.used).toBe(0);
    await expect.poll(() => crowded.services.eventStreams.open).toBe(0);
    expect(crowded.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  } finally {
    await holder.query("ROLLBACK");
    await crowded.close();
  }
});

test("the time to receive the body does not count", async () => {
  const body = JSON.stringify({ user_group_id: "acme" });
  async function* slowly() {
    yield body.slice(0, 10);
    await sleep(TIMEOUT_MS + 500);
    yield body.slice(10);
  }
  const reply = await fetch(`${service.url}/api/user`, {
    method: "PUT",
    headers: { authorization: `Token ${key}`, "content-type": "application/json" },
    body: ReadableStream.from(slowly()).pipeThrough(new TextEncoderStream()),
    duplex: "half",
  });
  expect(reply.status).toBe(200);
});

test("an event stream outlives the deadline", async () => {
  const watch = `subscription { userGroupChanged(by: { providedId: "acme" }) { kind } }`;
  const stream = await openGroupStream(service.url, `Token ${key}`, watch);
  await sleep(TIMEOUT_MS + 500);
  const next = stream.next();
  expect((await rest("PUT", { user_group_id: "acme", name: "Later" })).status).toBe(200);
  expect(await next).toMatchObject({ data: { userGroupChanged: { kind: "UPDATED" } } });
  stream.close();
});

test("timed-out requests are counted and not logged as errors", async () => {
  expect(await metricValue(service.services.telemetry.metrics.requestTimeouts)).toBeGreaterThanOrEqual(3);
  const levels = service.log.map((line) => JSON.parse(line).level);
  expect(levels.filter((level) => level >= 50)).toEqual([]);
  expect(service.log.join()).not.toContain("Reply was already sent");
});
