import { once } from "node:events";
import { connect } from "node:net";
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

/** Below the memory limit in the Kubernetes manifests, for a heap of 384 MB. */
const MAX_RSS_MB = 450;
const CONNECTIONS = 40;
const PIPELINED = 100;
const MANY_CONNECTIONS = 1_500;
const SOCKETS = 60;
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

/** Large groups of a page, whose properties cost more than an operation may. */
const GROUPS = 90;
const PAGES = 12;

/** Asks for pages of large groups, each request alone and several pages in one request. */
async function largePages() {
  const groups = Array.from({ length: GROUPS }, (_, index) => ({
    user_group_id: `large ${index}`,
    name: "Large",
    properties: { text: "x".repeat(62_000) },
  }));
  for (const group of groups) {
    expect((await callRest(`${service.url}/api/user`, "GET", service.key, group)).status).toBe(200);
  }
  const page = `userGroups(first: ${GROUPS}) { nodes { properties } }`;
  const pages = Array.from({ length: PAGES }, (_, index) => `p${index}: ${page}`).join(" ");
  const headers = { Authorization: `Token ${service.key}` };
  await burst(200, 1, headers, `{ ${page} }`);
  await burst(10, 1, headers, `{ ${pages} }`);
}

/** Sends requests over each connection at once, and reads until all are answered or the connection is closed. */
async function burst(
  connections: number,
  requests: number,
  headers: Readonly<Record<string, string>> = {},
  query?: string,
) {
  const statuses: string[] = [];
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
      socket.on("error", () => undefined);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      let answered = 0;
      socket.on("data", (chunk) => {
        const found = chunk.toString("latin1").match(/HTTP\/1\.1 (\d{3})/g) ?? [];
        statuses.push(...found.map((line) => line.slice(-3)));
        answered += found.length;
        if (answered >= requests) socket.destroy();
      });
      socket.write(Buffer.concat(Array.from({ length: requests }, () => request(headers, query))));
      await Promise.race([closed, sleep(ATTACK_MS, undefined, { ref: false })]);
      socket.destroy();
    }),
  );
  expect(statuses).not.toEqual([]);
  expect(new Set(statuses)).toEqual(new Set(["200", "503"].filter((status) => statuses.includes(status))));
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

test.each<[string, () => Promise<void>]>([
  ["pipelined introspection without credentials", () => burst(CONNECTIONS, PIPELINED)],
  [
    "pipelined introspection with an API key",
    () => burst(CONNECTIONS, PIPELINED, { Authorization: `Token ${service.key}` }),
  ],
  ["introspection over many connections", () => burst(MANY_CONNECTIONS, 1)],
  ["introspection over WebSockets that do not read", unreadSockets],
  ["pages of large groups with an API key", largePages],
])("%s leaves the process alive, others served and health checks answered", async (_, attack) => {
  const observed = await service.watch(attack, { maySucceedLater: true });
  const seen = JSON.stringify(observed);
  expect(observed.rssMb, seen).toBeLessThan(MAX_RSS_MB);
  expect(observed.cpuMs.livez, seen).toBeLessThan(MAX_CPU_MS);
});

test("counts the requests that it refuses", async () => {
  expect(sumOf(await scrape(service.url), "http_requests_shed_total") ?? 0).toBeGreaterThan(0);
});

test("logs none of this as an internal error", () => service.expectNoErrors());
