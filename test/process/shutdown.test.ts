import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createViewer } from "../../clients/typescript/src/browser.js";
import { UserGroupsClient } from "../../clients/typescript/src/index.js";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { createKeys } from "../support/faults/faulted-service.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { freePort } from "../support/programs/free-port.js";
import { type KeepAliveClient, openKeepAliveClient, userRequest } from "../support/rest/keep-alive-client.js";
import { callRest } from "../support/rest/rest-client.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

const processes = createTestProcesses();
const CLIENTS = 40;
let database: TestDatabase;
let env: Readonly<Record<string, string>>;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const encryptionKey = randomBytes(32);
  env = { DATABASE_URL: databaseUrl(database.target), ENCRYPTION_KEYS: encryptionKey.toString("base64") };
  [key = ""] = await createKeys(database, encryptionKey);
});
afterAll(async () => {
  await processes.close();
  await database.drop();
});

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

/** Runs `work` while another transaction locks a group; `work` decides when it ends. */
async function whileLocked(id: string, work: (release: () => Promise<void>) => Promise<void>): Promise<void> {
  const client = new Client(clientOptions(database.owner));
  await client.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT FROM user_group WHERE provided_id = $1 FOR UPDATE", [id]);
    await work(async () => void (await client.query("COMMIT")));
  } finally {
    await client.end();
  }
}

test.each(["SIGTERM", "SIGKILL"] as const)(
  "an open page follows its group through a restart by %s",
  async (signal) => {
    const PORT = String(await freePort());
    const service = await start({ PORT });
    const userGroups = new UserGroupsClient({ baseUrl: service.url, apiKey: key }).userGroups;
    await userGroups.getOrCreate({ userGroupId: signal, name: "before" });
    const viewer = createViewer({
      url: service.url,
      getSession: () => userGroups.createEmbedSession({ userGroupId: signal }),
    });
    onTestFinished(viewer.watch(() => undefined));
    const shown = () => viewer.state.userGroup?.name;
    await expect.poll(shown).toBe("before");
    service.kill(signal);
    await service.ended;
    await start({ PORT });
    await userGroups.update({ userGroupId: signal, name: "after" });
    await expect.poll(shown).toBe("after");
    expect(viewer.state).toMatchObject({ error: undefined, isStale: false });
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
    await whileLocked("held", async (release) => {
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
      await release();
    });
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
    const next = await start();
    const reply = await callRest(`${next.url}/api/user`, "GET", key, { user_group_id: "late" });
    expect(reply).toMatchObject({ status: 200, body: { user_group: { name: "late" } } });
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

test.each([1, 2])("loses no request under keep-alive load (%i)", async (round) => {
  const service = await start();
  const unanswered: unknown[] = [];
  let answered = 0;
  const load = Array.from({ length: CLIENTS }, async (_, index) => {
    const client = await open(service);
    const id = `load-${round}-${index}`;
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
