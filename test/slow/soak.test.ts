import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";
import { Inspector } from "../support/soak/inspector.js";
import { runLoad } from "../support/soak/load.js";

const OPERATIONS = 600;
/** Can be set for a longer run. */
const ROUNDS = Number(process.env["SOAK_ROUNDS"] ?? 3);
const TIMEOUT_MS = 300_000 * (ROUNDS + 1);
const POOL_SIZE = 4;
const MAX_RSS_MB = 400;
const HEAP_GROWTH_MB = 3;

const GENERATOR = "(async function* () {}).constructor.prototype.prototype";
/** Arguments of `countObjects`: objects that must not outlive a request, a connection or a subscription. */
const OF_REQUESTS = {
  requests: ["process.getBuiltinModule('node:http').IncomingMessage.prototype"],
  responses: ["process.getBuiltinModule('node:http').ServerResponse.prototype"],
  sockets: ["process.getBuiltinModule('node:net').Socket.prototype"],
  // A generator function's own prototype is made when it is first called.
  subscriptions: [GENERATOR, `(object) => Object.getPrototypeOf(object) !== ${GENERATOR}`],
} satisfies Readonly<Record<string, Counted>>;
/** Some of these objects come and go, but not one per request of any kind. */
const OF_ALL_KINDS = {
  promises: ["Promise.prototype"],
  maps: ["Map.prototype"],
  sets: ["Set.prototype"],
} satisfies Readonly<Record<string, Counted>>;
/** Fewer than the operations of every kind but the rarest. */
const STRAY = (ROUNDS * OPERATIONS) / 50;

type Counted = Parameters<Inspector["countObjects"]>;

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
  const env = {
    DATABASE_URL: databaseUrl(database.target),
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    WEBHOOK_ALLOW_PRIVATE: "true",
    TRUSTED_PROXIES: "127.0.0.0/8",
  };
  const newKey = ["key", "create", "--account", "soak", "--environment", "Customer", "--scope", "admin"];
  await processes.run(["account", "create", "soak"], { env });
  key = (await processes.run(newKey, { env })).stdout.trim();
  service = await processes.serve({
    env: { ...env, NODE_OPTIONS: "--inspect=127.0.0.1:0" },
    lifetimeMs: TIMEOUT_MS,
  });
  inspector = await Inspector.open(service.stderr());
  requestPrototypes = await inspector.countObjects(...OF_REQUESTS.requests);
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

async function loadOnce(): Promise<void> {
  const load = { url: service.url, key, callers: 16, addresses: 50, operations: OPERATIONS };
  const outcomes = await runLoad(load);
  expect(outcomes.filter(({ operation, outcome }) => !isAllowed(operation, outcome))).toEqual([]);
}

/** 503 means that the database could not keep up on a busy machine. */
function isAllowed(operation: string, outcome: string): boolean {
  if (outcome === "503") return true;
  if (operation === "GraphQL subscription, closed before the reply") return outcome === "left";
  if (operation === "broken request") return /^(?:200 GRAPHQL_VALIDATION_FAILED|4\d\d|left)$/.test(outcome);
  return outcome === (operation === "failed authentication" ? "401" : "200");
}

/** Waits until no request is in flight and counts live objects. */
async function atRest() {
  await expect.poll(() => inspector.countObjects(...OF_REQUESTS.requests)).toBe(requestPrototypes);
  await untilNoFewerPromises();
  const { rssMb, heapMb } = await inspector.readMemory();
  const { rows } = await administration.query<{ count: number }>(
    "SELECT count(*)::integer FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  const files = process.platform === "linux" ? (await readdir(`/proc/${service.pid}/fd`)).length : 0;
  return {
    ofRequests: await count(OF_REQUESTS),
    ofAllKinds: await count(OF_ALL_KINDS),
    rssMb,
    heapMb,
    files,
    connections: rows[0]?.count ?? 0,
  };
}

/** Work after the last reply, such as webhooks, holds promises that are released soon. */
async function untilNoFewerPromises(): Promise<void> {
  let before = Number.POSITIVE_INFINITY;
  for (;;) {
    const now = await inspector.countObjects(...OF_ALL_KINDS.promises);
    if (now >= before) return;
    before = now;
    await sleep(500);
  }
}

async function count(kinds: Readonly<Record<string, Counted>>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [kind, counted] of Object.entries(kinds)) {
    counts[kind] = await inspector.countObjects(...counted);
  }
  return counts;
}
