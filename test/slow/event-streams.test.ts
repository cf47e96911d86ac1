import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type EventStream, openEventStream } from "../support/graphql/event-stream-client.js";
import { openSlowReader, type SlowReader } from "../support/graphql/slow-reader.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { callRest } from "../support/rest/rest-client.js";
import { userGroupOf } from "../support/rest/rest-fixture.js";
import { METRICS_TOKEN, scrape, sumOf } from "../support/service/metric-samples.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

const processes = createTestProcesses();
/** Decision 36. */
const MEMORY_BOUND_MIB = 400;
const ATTEMPTS = 3000;
const PER_TOKEN = 20;
const SLOW_GROUPS = 10;
const ROUNDS = 12;
const PROPERTIES = { text: "x".repeat(65_000) };
/** Nearly the maximum size of an event. */
const LARGE = `subscription { userGroupChanged { userGroup { ${Array.from({ length: 15 }, (_, index) => `p${index}: properties`).join(" ")} } } }`;
const BY_KEY = "subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind userGroup { name } } }";

let database: TestDatabase;
let env: Readonly<Record<string, string>>;
let key: string;
let first: RunningService;
let second: RunningService;

beforeAll(async () => {
  database = await createTestDatabase();
  env = {
    DATABASE_URL: databaseUrl(database.target),
    ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    METRICS_TOKEN,
    LOG_LEVEL: "warn",
    NODE_OPTIONS: "--max-old-space-size=384",
  };
  for (const name of ["Owner", "Stranger"]) await processes.run(["account", "create", name], { env });
  key = await createKey("Owner", "admin");
  const start = () => processes.serve({ env });
  first = await start();
  second = await start();
});
afterAll(async () => {
  await processes.close();
  await database.drop();
});

async function createKey(account: string, scope: string): Promise<string> {
  const args = ["key", "create", "--account", account, "--environment", "Customer", "--scope", scope];
  return (await processes.run(args, { env })).stdout.trim();
}

async function call(service: RunningService, method: string, body: object, as = key) {
  return callRest(`${service.url}/api/user`, method, as, body);
}

async function createGroup(user_group_id: string, properties: object | null = null) {
  return userGroupOf(await call(first, "GET", { user_group_id, name: user_group_id, properties }));
}

async function rename(user_group_id: string, name: string): Promise<void> {
  expect(await call(first, "PUT", { user_group_id, name })).toMatchObject({ status: 200 });
}

async function watch(service: RunningService, as: string, providedId: string): Promise<EventStream> {
  const stream = await openEventStream(service.url, `Token ${as}`, BY_KEY, { by: { providedId } });
  expect(stream.status).toBe(200);
  onTestFinished(() => stream.close());
  return stream;
}

const hasEnded = { errors: [{ extensions: { code: "UNAUTHENTICATED" } }] };

test("a key revoked on the command line gets no more events or replies from any process", async () => {
  await createGroup("watched");
  const secret = await createKey("Owner", "read");
  const [[id = ""] = []] = (await processes.run(["key", "list"], { env })).stdout
    .split("\n")
    .filter((line) => line.includes(" read "))
    .map((line) => /^\d+/.exec(line) ?? []);
  const streams = await Promise.all([first, second].map((service) => watch(service, secret, "watched")));
  await rename("watched", "Before");
  const before = { data: { userGroupChanged: { kind: "UPDATED", userGroup: { name: "Before" } } } };
  for (const stream of streams) expect(await stream.next()).toEqual(before);
  expect((await processes.run(["key", "revoke", id], { env })).stdout).toBe(`revoked ${id}\n`);
  await rename("watched", "After");
  for (const stream of streams) {
    expect(await stream.next()).toMatchObject(hasEnded);
    expect(await stream.next()).toBeUndefined();
  }
  for (const service of [first, second]) {
    expect(await call(service, "GET", { user_group_id: "watched" }, secret)).toMatchObject({ status: 401 });
  }
});

test("a token rotated by one process gets no later event from another", async () => {
  const { token } = await createGroup("rotated");
  const query = "subscription { userGroupChanged { userGroup { name } } }";
  const stream = await openEventStream(second.url, `Bearer ${token}`, query);
  onTestFinished(() => stream.close());
  expect(await call(first, "POST", { current_token: token })).toMatchObject({ status: 200 });
  await rename("rotated", "After");
  expect(await stream.next()).toMatchObject(hasEnded);
});

test("the process and other tenants survive clients that do not read and thousands of attempts", async () => {
  const stranger = await createKey("Stranger", "write");
  const ownGroup = { user_group_id: "own", name: "Own" };
  const watching = observe(first, () => call(first, "GET", ownGroup, stranger));
  const groups = await Promise.all(
    Array.from({ length: SLOW_GROUPS }, (_, index) => createGroup(`slow ${index}`, PROPERTIES)),
  );
  const readers: SlowReader[] = [];
  onTestFinished(() => {
    for (const reader of readers) reader.close();
  });
  for (const { token } of groups) {
    const opened = Array.from({ length: PER_TOKEN }, () =>
      openSlowReader(first.url, `Bearer ${token}`, LARGE),
    );
    readers.push(...(await Promise.all(opened)));
  }
  const open = async () => sumOf(await scrape(first.url), "user_groups_subscriptions");
  await expect.poll(open).toBe(SLOW_GROUPS * PER_TOKEN);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const index of groups.keys()) await rename(`slow ${index}`, `n${round}`);
  }
  await expect.poll(open).toBe(0);
  const ended = sumOf(await scrape(first.url), "http_connections_ended_total");
  expect(ended).toBe(SLOW_GROUPS * PER_TOKEN);

  const { token } = await createGroup("crowded");
  const query = "subscription { userGroupChanged { userGroup { name } } }";
  const statuses = new Map<number, number>();
  for (let done = 0; done < ATTEMPTS; done += 100) {
    const streams = await Promise.all(
      Array.from({ length: 100 }, () => openEventStream(first.url, `Bearer ${token}`, query)),
    );
    for (const { status, close } of streams) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 200) onTestFinished(close);
    }
  }
  expect(Object.fromEntries(statuses)).toEqual({ 200: PER_TOKEN, 429: ATTEMPTS - PER_TOKEN });
  expect(await open()).toBe(PER_TOKEN);
  const labels = { reason: "token" };
  const refusals = sumOf(await scrape(first.url), "user_groups_event_stream_refusals_total", labels);
  expect(refusals).toBe(ATTEMPTS - PER_TOKEN);

  const { memory, failures } = await watching.stop();
  expect(failures).toEqual([]);
  expect(memory).toBeLessThan(MEMORY_BOUND_MIB);
}, 900_000);

/** Calls a process repeatedly and measures its memory. */
function observe(service: RunningService, request: () => ReturnType<typeof call>) {
  const failures: unknown[] = [];
  let memory = 0;
  let isOver = false;
  const sample = async () => {
    const replies = await Promise.all([request(), callRest(`${service.url}/livez`, "GET", undefined)]);
    failures.push(...replies.filter(({ status }) => status !== 200));
    memory = Math.max(memory, await residentMib(service.pid));
  };
  const done = (async () => {
    while (!isOver) {
      await sample().catch((error: unknown) => failures.push(error));
      await sleep(20);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await done;
      return { memory, failures };
    },
  };
}

async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
