import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { metricValue } from "../../support/service/metric-samples.js";
import { startService } from "../../support/service/test-service.js";

const TIMEOUT_MS = 1000;
/** A single change stays below the deadline; several in sequence do not. */
const CHANGE_MS = 300;
const CHANGES = 8;

const service = await startService({ requestTimeoutMs: TIMEOUT_MS });
const { secret: key } = await (await service.createAccount()).createKey();
const holder = new Client(clientOptions(service.owner));
beforeAll(async () => {
  await rest("GET", { user_group_id: "acme", name: "Acme" });
  await service.query(`CREATE FUNCTION take_time() RETURNS boolean LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_sleep(${CHANGE_MS / 1000}); RETURN true; END $$`);
  // Not a trigger, which Citus does not support.
  await service.query(
    "CREATE POLICY take_time ON user_group AS RESTRICTIVE FOR UPDATE WITH CHECK (take_time())",
  );
  await holder.connect();
});
afterAll(() => holder.end());

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
    WHERE datname = current_database() AND application_name LIKE 'user-groups/%' AND state <> 'idle'`;
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
