import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { createKeys } from "../support/faults/faulted-service.js";
import { startLoad } from "../support/faults/steady-load.js";
import { openGroupStream } from "../support/graphql/event-stream-client.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { exchange } from "../support/rest/raw-connection.js";
import { callRest } from "../support/rest/rest-client.js";
import { Inspector } from "../support/service/inspector.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";
import { startReceiver } from "../support/webhooks/receiver.js";

/** Of the load, beside a third as many irregular requests. */
const OPERATIONS = 450;
const LANES = { lanes: 12, restMs: 0 };
const IRREGULAR_LANES = 4;
const ADDRESSES = 50;
const WATCH = `subscription ($by: UserGroupBy!) { userGroupChanged(by: $by) { kind userGroup { name version } } }`;
const CREATE_ENDPOINT = `mutation ($url: String!) {
  createWebhookEndpoint(input: { name: "soak", url: $url, events: [USER_GROUP_DELETED] }) { userErrors { message } }
}`;
/** Can be set for a longer run. */
const ROUNDS = Number(process.env["SOAK_ROUNDS"] ?? 1);
const TIMEOUT_MS = 300_000 * (ROUNDS + 1);
const POOL_SIZE = 4;
const MAX_RSS_MB = 400;
const HEAP_GROWTH_MB = 3;

const GENERATOR = "(async function* () {}).constructor.prototype.prototype";
/** Objects that must not outlive a request, a connection or a subscription. */
const OF_REQUESTS = {
  requests: ["process.getBuiltinModule('node:http').IncomingMessage.prototype"],
  responses: ["process.getBuiltinModule('node:http').ServerResponse.prototype"],
  sockets: ["process.getBuiltinModule('node:net').Socket.prototype"],
  // A generator function's own prototype is made when it is first called.
  subscriptions: [GENERATOR, `(object) => Object.getPrototypeOf(object) !== ${GENERATOR}`],
} as const;
/** Some of these objects come and go, but not one per request of any kind. */
const OF_ALL_KINDS = {
  promises: ["Promise.prototype"],
  maps: ["Map.prototype"],
  sets: ["Set.prototype"],
} as const;
/** Fewer than the operations of every kind but the rarest. */
const STRAY = (ROUNDS * OPERATIONS) / 40;

const processes = createTestProcesses();
let database: TestDatabase;
let administration: Client;
let service: RunningService;
let inspector: Inspector;
let key: string;
/** The count without requests: the prototype of a subclass counts, too. */
let requestPrototypes: number;
beforeAll(async () => {
  database = await createTestDatabase();
  administration = new Client(clientOptions(database.owner));
  await administration.connect();
  const encryptionKey = randomBytes(32);
  [key = ""] = await createKeys(database, encryptionKey);
  const env = {
    DATABASE_URL: databaseUrl(database.target),
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    ENCRYPTION_KEYS: encryptionKey.toString("base64"),
    WEBHOOK_ALLOW_PRIVATE: "true",
    TRUSTED_PROXIES: "127.0.0.0/8",
    NODE_OPTIONS: "--inspect=127.0.0.1:0",
  };
  service = await processes.serve({ env, lifetimeMs: TIMEOUT_MS });
  inspector = await Inspector.open(service.stderr());
  ({ requests: requestPrototypes = 0 } = await count(OF_REQUESTS));
});
afterAll(async () => {
  inspector.close();
  await processes.close();
  await administration.end();
  await database.drop();
});

test(
  "thousands of requests of all kinds leak nothing in the process",
  async () => {
    // Some deliveries fail.
    const receiver = await startReceiver((_, count) => ({ status: count % 100 === 0 ? 500 : 204 }));
    await callGraphql(service.url, key, CREATE_ENDPOINT, { url: receiver.url });
    await loadOnce();
    const first = await atRest();
    for (let round = 0; round < ROUNDS; round += 1) await loadOnce();
    await expect
      .poll(() => count(OF_REQUESTS), { interval: 500 })
      .toSatisfy((now) => Object.keys(now).every((kind) => now[kind] <= (first.ofRequests[kind] ?? 0)));
    const last = await atRest();
    await expect
      .poll(() => count(OF_ALL_KINDS), { interval: 500 })
      .toSatisfy((now) =>
        Object.keys(now).every((kind) => now[kind] < (first.ofAllKinds[kind] ?? 0) + STRAY),
      );
    expect(last.heapMb).toBeLessThan(first.heapMb + HEAP_GROWTH_MB);
    expect(last.rssMb).toBeLessThan(MAX_RSS_MB);
    expect(last.files).toBeLessThanOrEqual(first.files);
    // One more listens for changes.
    expect(last.connections).toBeLessThanOrEqual(POOL_SIZE + 1);
    // A disconnected client is not an error.
    expect(service.stderr()).not.toMatch(/"level":50|Promise errored/);
  },
  TIMEOUT_MS,
);

/** Runs valid operations, as fast as they get replies, and irregular ones beside them. */
async function loadOnce(): Promise<void> {
  // Counting objects stops the event loop of the service, which counts as overload for a few seconds.
  const query = "{ viewer { environment } }";
  await expect.poll(async () => (await callGraphql(service.url, key, query)).status).toBe(200);
  const load = startLoad(service.url, [key], randomUUID(), LANES);
  const { calls, violations } = load.journal;
  const wrong: string[] = [];
  const irregular = Array.from({ length: IRREGULAR_LANES }, async (_, lane) => {
    for (let count = lane; calls.length < OPERATIONS; count += 1) {
      const [name, wanted, run] = IRREGULAR[count % IRREGULAR.length] ?? [];
      const outcome = await run?.();
      // 503 means that the database could not keep up on a busy machine.
      if (outcome !== "503" && !wanted?.test(String(outcome))) wrong.push(`${name}: ${outcome}`);
    }
  });
  await Promise.all(irregular);
  await load.stop();
  await getGlobalDispatcher().close();
  setGlobalDispatcher(new Agent());
  expect([...violations, ...wrong]).toEqual([]);
}

const rest = async (method: string, body: object | string, headers: Readonly<Record<string, string>> = {}) =>
  String((await callRest(`${service.url}/api/user`, method, key, body, headers)).status);

/** Sends bytes and breaks off. */
async function abandon(bytes: string): Promise<void> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  socket.destroy();
}

/** Sends bytes. @returns the status */
async function send(bytes: string): Promise<string | undefined> {
  return /^HTTP\/1\.1 (\d+)/.exec((await exchange(service.url, [bytes])).answer)?.[1];
}

async function watchNew() {
  const id = randomUUID();
  const rename = (name: string) => rest("PUT", { user_group_id: id, name });
  await rest("GET", { user_group_id: id, name: "New" });
  const stream = await openGroupStream(service.url, `Token ${key}`, WATCH, { by: { providedId: id } });
  return { stream, rename };
}

/** Requests other than those of the load, with the outcome that each must have. */
const IRREGULAR: readonly (readonly [string, RegExp, () => Promise<unknown>])[] = [
  [
    "subscription, closed immediately",
    /^200$/,
    async () => {
      const { stream } = await watchNew();
      stream.close();
      return stream.status;
    },
  ],
  [
    "subscription, closed after an event",
    /^true$/,
    async () => {
      const { stream, rename } = await watchNew();
      if (stream.status !== 200) return stream.status;
      const [event] = await Promise.all([stream.next(), rename("Renamed")]);
      stream.close();
      return JSON.stringify(event).includes("Renamed");
    },
  ],
  [
    "subscription, closed before the reply",
    /^undefined$/,
    () => {
      const body = JSON.stringify({ query: WATCH, variables: { by: { providedId: "a" } } });
      const head = `Authorization: Token ${key}\r\nAccept: text/event-stream\r\nContent-Type: application/json`;
      return abandon(
        `POST /graphql HTTP/1.1\r\nHost: x\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    },
  ],
  [
    "failed authentication",
    /^401$/,
    () => {
      const address = `10.0.0.${Math.floor(Math.random() * ADDRESSES)}`;
      const authorization = `Token ugk_live_${"0".repeat(55)}`;
      return rest("GET", { user_group_id: "x" }, { authorization, "x-forwarded-for": address });
    },
  ],
  ["incomplete JSON", /^400$/, () => rest("GET", '{"user_group_id": ')],
  ["invalid ID", /^400$/, () => rest("PUT", { user_group_id: "\u0000" })],
  ["large body", /^413$/, () => rest("PUT", "x".repeat(1_100_000))],
  ["wrong type", /^4\d\d$/, () => rest("POST", "a", { "content-type": "text/plain" })],
  ["unknown token", /^4\d\d$/, () => rest("DELETE", { current_token: "ugt_none" })],
  [
    "deep document",
    /GRAPHQL_VALIDATION_FAILED/,
    async () => {
      const { body } = await callGraphql(service.url, key, `{ a${"{ a".repeat(200)}${"}".repeat(200)} }`);
      return JSON.stringify(body);
    },
  ],
  ["no HTTP", /^400$/, () => send("NOTHING THAT IS HTTP\r\n\r\n")],
  ["no host", /^400$/, () => send("GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n")],
  ["half of the headers", /^undefined$/, () => abandon("POST /api/user HTTP/1.1\r\nhost: x\r\ncontent-")],
  [
    "half of a body",
    /^undefined$/,
    () => abandon("POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{"),
  ],
];

/** Waits until no request is in flight and counts live objects. */
async function atRest() {
  const requests = async () => (await count(OF_REQUESTS))["requests"];
  await expect.poll(requests, { interval: 500 }).toBe(requestPrototypes);
  const ofAllKinds = await untilNoFewerPromises();
  const { rssMb, heapMb } = await inspector.readMemory();
  const { rows } = await administration.query<{ count: number }>(
    "SELECT count(*)::integer FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  const files = process.platform === "linux" ? (await readdir(`/proc/${service.pid}/fd`)).length : 0;
  return {
    ofRequests: await count(OF_REQUESTS),
    ofAllKinds,
    rssMb,
    heapMb,
    files,
    connections: rows[0]?.count ?? 0,
  };
}

/** Work after the last reply, such as webhooks, holds promises that are released soon. @returns the counts of all kinds */
async function untilNoFewerPromises() {
  let before = Number.POSITIVE_INFINITY;
  for (;;) {
    const now = await count(OF_ALL_KINDS);
    const { promises = 0 } = now;
    if (promises >= before) return now;
    before = promises;
    await sleep(500);
  }
}

function count(kinds: Parameters<Inspector["countObjects"]>[0]): Promise<Record<string, number>> {
  return inspector.countObjects(kinds);
}
