import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type AttackedService, startAttackedService } from "../support/faults/attacked-service.js";
import { toBytes } from "../support/faults/slow-readers.js";
import { exchange } from "../support/rest/raw-connection.js";

/** Without a queue, the service answers all of them before it looks at another connection: at least 1.6 s of CPU time. */
const CONNECTIONS = 50;
const PIPELINED = 400;
const MAX_LIVEZ_CPU_MS = 1_000;
/** Time after which a flood ends even if replies are missing. */
const FLOOD_MS = 60_000;
const WEB_SOCKETS = 200;
const SUBSCRIPTIONS = 20;

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService({ LOG_LEVEL: "warn" });
});
afterAll(() => service.close());

let count = 0;
function random(): string {
  count += 1;
  return String(count).padStart(40, "x");
}
const JWT = "eyJhbGciOiJFUzI1NiIsImtpZCI6IngifQ.e30.";
const CREDENTIALS: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  "no credentials": () => ({}),
  "wrong API keys": () => ({ Authorization: `Token ugk_live_${random()}` }),
  "wrong tokens": () => ({ Authorization: `Bearer ugt_${random()}` }),
  "forged sessions": () => ({ Authorization: `Bearer ${JWT}${random()}` }),
  "a valid API key": () => ({ Authorization: `Token ${service.key}` }),
};
const operation = () => JSON.stringify({ query: `{ viewer { environment } } # ${random()}` });
interface Route {
  readonly line: string;
  readonly accept?: string;
  readonly body?: () => string;
}
/** With each of the credentials, which it looks up or checks. */
const AUTHENTICATED: readonly Route[] = [
  { line: "PUT /api/user", body: () => '{"user_group_id":"nobody"}' },
  { line: "POST /graphql", body: operation },
];
/** With one of them, which most of them ignore. */
const OTHERS: readonly Route[] = [
  { line: "GET /livez" },
  { line: "GET /readyz" },
  { line: "GET /metrics" },
  { line: "POST /graphql", accept: "text/event-stream", body: operation },
  { line: "GET /graphql?query=%7B__typename%7D" },
  { line: "GET /site-config/docs?account=nobody" },
  { line: "GET /openapi.json" },
  { line: "GET /", accept: "text/html" },
  { line: "GET /console/session" },
  { line: "GET /.well-known/jwks.json" },
  { line: "GET /nothing" },
  { line: "GET /%zz" },
];

function request({ line, accept = "*/*", body }: Route, credential: string): Buffer {
  const text = body?.() ?? "";
  const type = text === "" ? {} : { "Content-Type": "application/json", "Content-Length": text.length };
  return toBytes(line, { Accept: accept, ...type, ...CREDENTIALS[credential]?.() }, text);
}

/** Sends many requests over each connection at once, until the service closes it. @returns the status lines of its replies */
async function flood(create: () => Buffer): Promise<string[]> {
  const port = Number(new URL(service.url).port);
  const statuses: string[] = [];
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.on("data", (chunk) => {
        statuses.push(...(chunk.toString("latin1").match(/HTTP\/1\.1 \d{3}/g) ?? []));
      });
      socket.write(Buffer.concat(Array.from({ length: PIPELINED }, create)));
      await Promise.race([closed, sleep(FLOOD_MS, undefined, { ref: false })]);
      socket.destroy();
    }),
  );
  return statuses;
}

/** Runs an attack and expects that health checks and other callers are served meanwhile. */
async function expectServed(attack: () => Promise<unknown>): Promise<void> {
  const observed = await service.watch(attack, { maySucceedLater: true });
  expect(observed.cpuMs.livez, JSON.stringify(observed)).toBeLessThan(MAX_LIVEZ_CPU_MS);
}

describe("many pipelined requests over many connections do not keep others waiting:", () => {
  test.each([
    ...AUTHENTICATED.flatMap((route) =>
      Object.keys(CREDENTIALS).map((credential) => ({ ...route, credential })),
    ),
    ...OTHERS.map((route) => ({ ...route, credential: "wrong API keys" })),
  ])("$line $accept with $credential", async ({ credential, ...route }) => {
    await expectServed(async () => {
      const statuses = await flood(() => request(route, credential));
      expect(statuses).not.toEqual([]);
    });
  });
});

test("many subscriptions over many WebSockets do not keep others waiting", async () => {
  const sockets = await Promise.all(
    Array.from({ length: WEB_SOCKETS }, async () => {
      const socket = new WebSocket(`${service.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
      socket.on("error", () => undefined);
      await once(socket, "open");
      const payload = { authorization: `Token ${service.key}` };
      socket.send(JSON.stringify({ type: "connection_init", payload }));
      await once(socket, "message");
      return socket;
    }),
  );
  await expectServed(async () => {
    const answered = sockets.map((socket) => once(socket, "message"));
    for (const socket of sockets) {
      for (let id = 0; id < SUBSCRIPTIONS; id += 1) {
        const payload = { query: 'subscription { userGroupChanged(by: { providedId: "nobody" }) { kind } }' };
        socket.send(JSON.stringify({ id: String(id), type: "subscribe", payload }));
      }
    }
    await Promise.all(answered);
  });
  for (const socket of sockets) socket.terminate();
});

test("a large file arrives whole before requests that are too many, and before a tunnel", async () => {
  const read = async (path: string) =>
    (await fetch(`${service.url}${path}`, { headers: { accept: "text/html" } })).text();
  const script = /assets\/graphql-[\w-]+\.js/.exec(await read("/graphql"))?.[0];
  const [, name = ""] = /(graphiql-[\w-]+\.js)/.exec(await read(`/${script}`)) ?? [];
  const { length } = await read(`/assets/${name}`);
  expect(length).toBeGreaterThan(4_000_000);
  const file = toBytes(`GET /assets/${name}`, {});
  for (const later of [
    Buffer.concat(Array(30).fill(toBytes("GET /livez", {}))),
    toBytes("CONNECT x:80", {}),
  ]) {
    const { answer } = await exchange(service.url, [Buffer.concat([file, file, later])]);
    expect(answer.length).toBeGreaterThan(2 * length);
  }
});
