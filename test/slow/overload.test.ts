import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import {
  type AttackedService,
  MAX_CPU_MS,
  startAttackedService,
} from "../support/faults/attacked-service.js";
import { toBytes } from "../support/faults/slow-readers.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { callRest } from "../support/rest/rest-client.js";
import { scrape, sumOf } from "../support/service/metric-samples.js";

/** Below the memory limit in the Kubernetes manifests, for a heap of 384 MB. Large pages take up to 470 on a busy machine. */
const MAX_RSS_MB = 490;
/** For bulk changes, which took 407 to 455 MB without their limit of bytes, and take 250. */
const MAX_BULK_RSS_MB = 380;
/** Together, half as much again as the CPU time that others may wait. */
const CONNECTIONS = 16;
const PIPELINED = 40;
/** More than the requests of an address that may be in progress, 1,000. */
const MANY_CONNECTIONS = 1_050;
const SOCKETS = 16;
const OPERATIONS = 40;
/** Time after which an attack ends even if replies are missing. */
const ATTACK_MS = 60_000;

const FIELDS = `kind name description fields { name description isDeprecated deprecationReason
  type { kind name ofType { kind name ofType { kind name } } } }
  inputFields { name description defaultValue } enumValues { name description }
  possibleTypes { name } interfaces { name }`;
let documents = 0;
/** An introspection query that no cache knows. */
function introspection(): string {
  documents += 1;
  return `{ __schema { types { ${FIELDS} } directives { name description locations } } } # ${documents}`;
}

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService({ LOG_LEVEL: "warn" });
});
afterAll(() => service.close());

function request(headers: Readonly<Record<string, string>>, query = introspection()): Buffer {
  const body = JSON.stringify({ query });
  const type = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  return toBytes("POST /graphql", { ...type, ...headers }, body);
}

/** Pages of groups whose properties cost more than an operation may, each in a request of its own and several in one. */
async function largeProperties() {
  const groups = Array.from({ length: 90 }, (_, index) => ({
    user_group_id: `large ${index}`,
    name: "Large",
    properties: { text: "x".repeat(62_000) },
  }));
  for (const group of groups) {
    expect((await callRest(`${service.url}/api/user`, "GET", service.key, group)).status).toBe(200);
  }
  const page = "userGroups(first: 90) { nodes { properties } }";
  const pages = Array.from({ length: 12 }, (_, index) => `p${index}: ${page}`).join(" ");
  // Together, more than the memory.
  await burst(100, 1, { headers: withKey(), query: `{ ${page} }` });
  await burst(4, 1, { headers: withKey(), query: `{ ${pages} }` });
}

/** Pages of groups with more mapping entries than a reply. */
async function largeMappings() {
  const create = `mutation { createDataSource(input: { providedId: "large", name: "Large" }) { dataSource { id } } }`;
  expect((await callGraphql(service.url, service.key, create)).status).toBe(200);
  const schema = "x".repeat(200);
  const mapping = Array.from({ length: 1_000 }, (_, index) => ({
    schemaId: `${schema} ${index}`,
    dataSource: "large",
  }));
  const upsert = `mutation ($userGroups: [UpsertUserGroupInput!]!) {
    upsertUserGroups(input: { userGroups: $userGroups }) { results { userErrors { message } } } }`;
  for (let first = 0; first < 60; first += 10) {
    const userGroups = Array.from({ length: 10 }, (_, index) => ({
      providedId: `mapped ${first + index}`,
      name: "Mapped",
      mapping,
    }));
    expect((await callGraphql(service.url, service.key, upsert, { userGroups })).status).toBe(200);
  }
  const query = '{ userGroups(first: 100, filter: { search: "mapped" }) { nodes { mapping { schemaId } } } }';
  await burst(12, 1, { headers: withKey(), query, statuses: ["400", "503"] });
}

const BULK_CONNECTIONS = 40;
/** All connections are answered twice on average, which the memory of the first changes must not outlast. */
const BULK_CHANGES = 2 * BULK_CONNECTIONS;

/** Bulk changes by filter of a patch with a text of this length. @param dryRun whether they are only tried */
async function bulkChanges(length: number, dryRun: boolean) {
  const userGroups = Array.from({ length: 250 }, (_, index) => ({
    providedId: `bulk ${index}`,
    name: "Bulk",
  }));
  const upsert = `mutation ($userGroups: [UpsertUserGroupInput!]!) {
    upsertUserGroups(input: { userGroups: $userGroups }) { userErrors { message } } }`;
  expect((await callGraphql(service.url, service.key, upsert, { userGroups })).status).toBe(200);
  const update = `mutation ($input: UpdateUserGroupsInput!) {
    updateUserGroups(input: $input) { endCursor results { isChanged } userErrors { message } } }`;
  let completed = 0;
  const change = async (_: unknown, index: number) => {
    for (let round = 0; completed < BULK_CHANGES; round += 1) {
      const propertiesPatch = { text: `${index} ${round} ${"x".repeat(length)}` };
      const input = {
        filter: { providedIdStartsWith: "bulk " },
        propertiesPatch,
        dryRun,
        allOrNothing: false,
      };
      const { status } = await callGraphql(service.url, service.key, update, { input });
      expect([200, 503]).toContain(status);
      if (status === 200) completed += 1;
    }
  };
  await Promise.all(Array.from({ length: BULK_CONNECTIONS }, change));
}

const withKey = () => ({ Authorization: `Token ${service.key}` });

interface BurstOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** The possible statuses. */
  readonly statuses?: readonly string[];
  /** Whether the process is paused until all requests are sent: otherwise a fast one answers some before others arrive. */
  readonly isPaused?: boolean;
}

/** Sends requests over each connection at once, and reads until all are answered or the connection is closed. */
async function burst(
  connections: number,
  requests: number,
  { headers = {}, query, statuses: possible = ["200", "503"], isPaused = false }: BurstOptions = {},
) {
  const sockets = Array.from({ length: connections }, openSocket);
  const statuses: string[] = [];
  if (isPaused) await Promise.all(sockets.map(untilAccepted));
  if (isPaused) process.kill(service.pid, "SIGSTOP");
  for (const socket of sockets)
    socket.write(Buffer.concat(Array.from({ length: requests }, () => request(headers, query))));
  if (isPaused) process.kill(service.pid, "SIGCONT");
  await Promise.all(
    sockets.map(async (socket) => {
      const closed = new Promise((resolve) => socket.once("close", resolve));
      let answered = 0;
      socket.on("data", (chunk) => {
        const found = chunk.toString("latin1").match(/HTTP\/1\.1 (\d{3})/g) ?? [];
        statuses.push(...found.map((line) => line.slice(-3)));
        answered += found.length;
        if (answered >= requests) socket.destroy();
      });
      await Promise.race([closed, sleep(ATTACK_MS, undefined, { ref: false })]);
      socket.destroy();
    }),
  );
  expect(statuses).not.toEqual([]);
  expect(new Set(statuses)).toEqual(new Set(possible.filter((status) => statuses.includes(status))));
}

function openSocket(): Socket {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  return socket.on("error", () => undefined);
}

/** Waits until the service has answered a request. */
async function untilAccepted(socket: Socket): Promise<void> {
  socket.write(toBytes("GET /livez", {}));
  await once(socket, "data");
}

/** Opens WebSockets that each send operations at once and never read. */
async function unreadSockets(): Promise<void> {
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, async () => {
      const socket = new WebSocket(`${service.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
      socket.on("error", () => undefined);
      await once(socket, "open");
      socket.send(
        JSON.stringify({ type: "connection_init", payload: { authorization: `Token ${service.key}` } }),
      );
      await once(socket, "message");
      socket.pause();
      return socket;
    }),
  );
  for (const socket of sockets) {
    for (let id = 0; id < OPERATIONS; id += 1) {
      const payload = { query: introspection() };
      socket.send(JSON.stringify({ id: String(id), type: "subscribe", payload }));
    }
  }
  // Until the service has run or refused all of them.
  await sleep(5_000);
  await expect
    .poll(async () => (await callGraphql(service.url, service.key, "{ viewer { environment } }")).status)
    .toBe(200);
  for (const socket of sockets) socket.terminate();
}

test.each<[string, () => Promise<unknown>, maxRssMb?: number]>([
  [
    "pipelined introspection, with an API key and without credentials",
    () => Promise.all([{ headers: withKey() }, {}].map((each) => burst(CONNECTIONS / 2, PIPELINED, each))),
  ],
  ["introspection over many connections", () => burst(MANY_CONNECTIONS, 1, { isPaused: true })],
  ["introspection over WebSockets that do not read", unreadSockets],
  ["pages of large properties", largeProperties],
  ["pages of large mappings", largeMappings],
  ["bulk changes with large patches", () => bulkChanges(60_000, false), MAX_BULK_RSS_MB],
  ["bulk changes with large patches that are only tried", () => bulkChanges(60_000, true), MAX_BULK_RSS_MB],
  ["bulk changes of large properties that are only tried", () => bulkChanges(10, true), MAX_BULK_RSS_MB],
])(
  "%s leaves the process alive, others served and health checks answered",
  async (_, attack, maxRssMb = MAX_RSS_MB) => {
    const observed = await service.watch(attack, { maySucceedLater: true });
    const seen = JSON.stringify(observed);
    expect(observed.rssMb, seen).toBeLessThan(maxRssMb);
    expect(observed.cpuMs.livez, seen).toBeLessThan(MAX_CPU_MS);
  },
);

test("counts the requests that it refuses", async () => {
  expect(sumOf(await scrape(service.url), "http_requests_shed_total") ?? 0).toBeGreaterThan(0);
});

test("logs none of this as an internal error", () => service.expectNoErrors());
