import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createViewer } from "../../clients/typescript/src/browser.js";
import { UserGroupsClient } from "../../clients/typescript/src/index.js";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { followStream, STREAM_CLIENTS } from "../support/clients/stream-clients.js";
import { createKeys } from "../support/faults/faulted-service.js";
import { openGroupStream } from "../support/graphql/event-stream-client.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { holdTransaction } from "../support/postgres/held-transaction.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { freePort } from "../support/programs/free-port.js";
import {
  jsonRequest,
  type KeepAliveClient,
  openKeepAliveClient,
  userRequest,
} from "../support/rest/keep-alive-client.js";
import { callRest } from "../support/rest/rest-client.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";
import { startTestService } from "../support/service/test-service.js";

const processes = createTestProcesses();
const CLIENTS = 40;
const WATCH = "subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind userGroup { name } } }";
let database: TestDatabase;
let administration: Pool;
let env: Readonly<Record<string, string>>;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  administration = new Pool(clientOptions(database.owner));
  const encryptionKey = randomBytes(32);
  env = { DATABASE_URL: databaseUrl(database.target), ENCRYPTION_KEYS: encryptionKey.toString("base64") };
  [key = ""] = await createKeys(database, encryptionKey);
});
afterAll(async () => {
  await processes.close();
  await administration.end();
  await database.drop();
});

const query = async (text: string, values: readonly unknown[] = []) =>
  (await administration.query(text, [...values])).rows;

const start = (more: Readonly<Record<string, string>> = {}) =>
  processes.serve({ env: { ...env, LOG_LEVEL: "warn", ...more } });
const getOrCreate = (id: string) => userRequest("GET", key, { user_group_id: id, name: id });
const rename = (id: string, name: string) => userRequest("PUT", key, { user_group_id: id, name });

async function open({ url }: RunningService): Promise<KeepAliveClient> {
  const client = await openKeepAliveClient(url);
  onTestFinished(() => client.close());
  return client;
}

/** Sends one request and expects a reply on a connection that stays open. */
async function exchange(client: KeepAliveClient, request: string): Promise<void> {
  client.write(request);
  expect(await client.next()).toMatchObject({ kind: "reply", status: 200, ends: false });
}

async function refusesConnections({ url }: RunningService): Promise<boolean> {
  return openKeepAliveClient(url).then(
    (client) => {
      client.close();
      return false;
    },
    () => true,
  );
}

test.each(["SIGTERM", "SIGKILL"] as const)(
  "a page and streams show a change that was made while their service restarted by %s, with new sessions",
  async (signal) => {
    const PORT = String(await freePort());
    const service = await start({ PORT });
    // Where the host application of the streams calls the service: another replica.
    const replica = await start();
    const groupsOf = ({ url }: RunningService) =>
      new UserGroupsClient({ baseUrl: url, apiKey: key }).userGroups;
    const userGroups = groupsOf(replica);
    const group = { providedId: signal };
    await userGroups.getOrCreate({ ...group, name: "before" });
    const viewer = createViewer({
      url: service.url,
      getSession: () => groupsOf(service).createEmbedSession(group),
    });
    onTestFinished(viewer.watch(() => undefined));
    const sessions = new Map<string, number>();
    const streams = Object.entries(STREAM_CLIENTS).map(([name, createClient]) => {
      const client = createClient(service.url, async () => {
        sessions.set(name, (sessions.get(name) ?? 0) + 1);
        return `Bearer ${(await userGroups.createEmbedSession(group)).token}`;
      });
      return followStream(client, "subscription { userGroupChanged { kind userGroup { name } } }");
    });
    const shown = () => [viewer.state.userGroup?.name, ...streams];
    const current = (name: string) => ({
      data: { userGroupChanged: { kind: "CURRENT", userGroup: { name } } },
    });
    await expect.poll(shown).toEqual(["before", ...streams.map(() => [current("before")])]);
    expect([...sessions.values()]).toEqual(streams.map(() => 1));
    service.kill(signal);
    expect(await service.ended).toMatchObject(signal === "SIGTERM" ? { code: 0 } : { signal });
    await userGroups.update({ ...group, name: "after" });
    await start({ PORT });
    await expect.poll(shown).toEqual(["after", ...streams.map(() => [current("before"), current("after")])]);
    expect(viewer.state).toMatchObject({ error: undefined, isStale: false });
    for (const count of sessions.values()) expect(count).toBeGreaterThan(1);
  },
);

test("stays available but not ready for SHUTDOWN_DELAY_MS", async () => {
  const service = await start({ SHUTDOWN_DELAY_MS: "2000" });
  const kept = await open(service);
  await exchange(kept, getOrCreate("delay"));
  service.kill("SIGTERM");
  const path = (name: string) => callRest(`${service.url}/${name}`, "GET", undefined);
  await expect.poll(async () => (await path("readyz")).status).toBe(503);
  expect(await path("readyz")).toMatchObject({
    headers: { "retry-after": "1" },
    body: { error: { code: "unavailable", message: "The service is shutting down." } },
  });
  expect(await path("livez")).toMatchObject({ status: 200 });
  await exchange(kept, rename("delay", "Kept"));
  const fresh = await open(service);
  await exchange(fresh, rename("delay", "Fresh"));
  await expect.poll(() => refusesConnections(service)).toBe(true);
  expect(await kept.next()).toEqual({ kind: "closed" });
  expect(await fresh.next()).toEqual({ kind: "closed" });
  expect(await service.ended).toMatchObject({ code: 0, signal: null });
});

test("a second signal ends the process immediately", async () => {
  const service = await start({ SHUTDOWN_DELAY_MS: "60000" });
  service.kill("SIGTERM");
  // A signal within a second counts as the same one, as npm forwards it.
  await sleep(1500);
  service.kill("SIGTERM");
  expect(await service.ended).toMatchObject({ code: null, signal: "SIGTERM" });
});

describe("after it stops accepting connections", () => {
  test("answers all received and partly received requests, and closes each connection with its last reply", async () => {
    const service = await start();
    const [held, ahead, half, body, asking] = await Promise.all(
      Array.from({ length: 5 }, () => open(service)),
    );
    if (!held || !ahead || !half || !body || !asking) throw new Error("There are five.");
    await exchange(held, getOrCreate("held"));
    await exchange(half, getOrCreate("half"));
    const lock = "SELECT FROM user_group WHERE provided_id = 'held' FOR UPDATE";
    const transaction = await holdTransaction({ owner: database.owner, query }, lock);
    held.write(rename("held", "One"));
    ahead.write(rename("held", "Two"));
    const request = rename("half", "In two parts");
    half.write(request.slice(0, 20));
    body.write(request.slice(0, -20));
    // Once this has a reply, everything sent before has arrived.
    await exchange(asking, getOrCreate("asking"));
    service.kill("SIGTERM");
    await expect.poll(() => refusesConnections(service)).toBe(true);
    // Even after idle connections were closed.
    expect(await asking.next()).toEqual({ kind: "closed" });
    // Pipelined before the reply to the first request.
    ahead.write(getOrCreate("ahead"));
    half.write(request.slice(20));
    body.write(request.slice(-20));
    for (const client of [half, body])
      expect(await client.next()).toMatchObject({ kind: "reply", status: 200, ends: true });
    await transaction.commit();
    expect(await held.next()).toMatchObject({ kind: "reply", status: 200, ends: true });
    for (const ends of [false, true])
      expect(await ahead.next()).toMatchObject({ kind: "reply", status: 200, ends });
    for (const client of [held, ahead, half, body]) expect(await client.next()).toEqual({ kind: "closed" });
    expect(await service.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("closes idle connections and ignores later requests on them", async () => {
    const service = await start();
    const used = await open(service);
    const unused = await open(service);
    await exchange(used, getOrCreate("late"));
    service.kill("SIGTERM");
    for (const client of [used, unused]) {
      expect(await client.next()).toEqual({ kind: "closed" });
      client.write(rename("late", "Too late"));
    }
    expect((await service.ended).code).toBe(0);
    expect(await query("SELECT name FROM user_group WHERE provided_id = 'late'")).toEqual([{ name: "late" }]);
  });

  test("waits at most ten seconds for the rest of a request", async () => {
    const service = await start();
    const client = await open(service);
    client.write(getOrCreate("never").slice(0, 20));
    service.kill("SIGTERM");
    const { code, stderr } = await service.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({
      connections: 1,
      msg: "connections were closed at shutdown: their requests took too long",
    });
  });
});

test("loses no request under keep-alive load", async () => {
  const service = await start();
  const unanswered: unknown[] = [];
  let answered = 0;
  const load = Array.from({ length: CLIENTS }, async (_, index) => {
    const client = await open(service);
    const id = `load-${index}`;
    for (let count = 0; ; count += 1) {
      client.write(count % 2 === 0 ? getOrCreate(id) : rename(id, `Name ${count}`));
      const outcome = await client.next();
      if (outcome.kind !== "reply" || outcome.status !== 200) {
        unanswered.push(outcome);
        return;
      }
      answered += 1;
      if (outcome.ends) return;
      // Some send all the time, others now and then.
      if (index % 2 === 0) await sleep(Math.random() * 100);
    }
  });
  await expect.poll(() => answered).toBeGreaterThan(10 * CLIENTS);
  service.kill("SIGTERM");
  await Promise.all(load);
  expect(unanswered).toEqual([]);
  expect(await service.ended).toMatchObject({ code: 0, stderr: "" });
});

/** Waits until connections are in the system's accept queue, in the same turn of the event loop, so that the service accepts none. */
async function untilQueued(url: string, count: number): Promise<void> {
  // Node.js connects in the next tick.
  await new Promise(process.nextTick);
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0");
  const listener = new RegExp(`:${port} \\S+ 0A \\w+:(\\w+)`);
  while (Number.parseInt(listener.exec(readFileSync("/proc/net/tcp", "latin1"))?.[1] ?? "", 16) !== count);
}

test("connections still in the accept queue are served before the server stops listening", async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const { secret } = await (await service.createAccount()).createKey();
  const clients = Array.from({ length: 50 }, async () => {
    const client = await openKeepAliveClient(service.url);
    client.write(userRequest("GET", secret, { user_group_id: "a", name: "A" }));
    return client;
  });
  await untilQueued(service.url, clients.length);
  const closed = service.server.close();
  for (const client of await Promise.all(clients)) {
    expect(await client.next()).toMatchObject({ kind: "reply", status: 200, ends: true });
    client.close();
  }
  await closed;
});

test("a change made during shutdown reaches subscribers of this and other processes", async () => {
  const use = await createTestDatabase();
  const encryptionKey = randomBytes(32);
  onTestFinished(() => use.drop());
  const leaving = await startTestService({ encryptionKey, use });
  const staying = await startTestService({ encryptionKey, use });
  onTestFinished(() => staying.close());
  const { secret } = await (await leaving.createAccount()).createKey();
  const client = await openKeepAliveClient(leaving.url);
  const change = userRequest("PUT", secret, { user_group_id: "acme", name: "New" });
  client.write(userRequest("GET", secret, { user_group_id: "acme", name: "Acme" }));
  await client.next();
  const watch = ({ url }: { readonly url: string }) =>
    openGroupStream(url, `Token ${secret}`, WATCH, { by: { providedId: "acme" } });
  const [leavingStream, stayingStream] = [await watch(leaving), await watch(staying)];
  const lock = await holdTransaction(leaving, "SELECT FROM user_group FOR UPDATE");
  client.write(change);
  const late = await openKeepAliveClient(leaving.url);
  const watchIt = { query: WATCH, variables: { by: { providedId: "acme" } } };
  const subscription = jsonRequest("POST", "/graphql", secret, watchIt, ["Accept: text/event-stream"]);
  late.write(subscription.slice(0, 20));
  const closed = leaving.server.close();
  expect(await leavingStream.next()).toBeUndefined();
  expect(leavingStream.isComplete()).toBe(false);
  late.write(subscription.slice(20));
  expect(await late.next()).toMatchObject({
    status: 503,
    ends: true,
    body: { errors: [{ extensions: { code: "UNAVAILABLE" } }] },
  });
  await lock.commit();
  expect(await client.next()).toMatchObject({ status: 200, ends: true });
  for (const each of [client, late]) each.close();
  expect(await stayingStream.next()).toMatchObject({
    data: { userGroupChanged: { userGroup: { name: "New" } } },
  });
  stayingStream.close();
  await closed;
  await leaving.close();
});
