import { request } from "undici";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DEFAULT_EVENT_STREAM_LIMITS } from "../../src/domain/requests/event-stream-limits.js";
import { SMALL_BODY_LIMIT } from "../../src/graphql/server/callers.js";
import {
  type AttackedService,
  expectSurvived,
  startAttackedService,
} from "../support/faults/attacked-service.js";
import { openSlowReaders, toBytes } from "../support/faults/slow-readers.js";
import { openEventStream } from "../support/graphql/event-stream-client.js";
import { openSlowReader, type SlowReader } from "../support/graphql/slow-reader.js";
import { callRest } from "../support/rest/rest-client.js";
import { userGroupOf } from "../support/rest/rest-fixture.js";
import { scrape, sumOf } from "../support/service/metric-samples.js";

const MEGABYTE = 1024 * 1024;
/** Clients that stall, and how long they may. */
const CLIENTS = 200;
const STALL_TIMEOUT_MS = 3_000;
const BODIES_BUDGET = 64 * MEGABYTE;
/** Size of a group: nearly 64 KiB. */
const PROPERTIES = { text: "x".repeat(65_000) };
/** Aliases of it that are a reply of a megabyte, nearly the most that a query may cost. */
const ALIASES = Array.from({ length: 15 }, (_, index) => `p${index}: properties`).join(" ");
/** Event streams that read nothing: unbounded, their events would take a gigabyte. */
const SLOW_GROUPS = 5;
const READERS_OF_A_GROUP = 20;
const ROUNDS = 12;
const ATTEMPTS = 1000;
/** Event streams that a group may have. */
const { perToken: PER_GROUP } = DEFAULT_EVENT_STREAM_LIMITS;

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService({
    LOG_LEVEL: "warn",
    // Long enough for a busy machine to receive more bodies than the budget holds.
    REQUEST_RECEIVE_TIMEOUT_MS: String(2 * STALL_TIMEOUT_MS),
    STALLED_CONNECTION_TIMEOUT_MS: String(STALL_TIMEOUT_MS),
  });
});
afterAll(() => service.close());

const rest = (method: string, body: object | string) =>
  callRest(`${service.url}/api/user`, method, service.key, body);

async function createGroup(user_group_id: string, properties: object | null = null) {
  return userGroupOf(await rest("GET", { user_group_id, name: user_group_id, properties }));
}

/** The sum of metrics. */
async function total(...names: readonly string[]): Promise<number> {
  const samples = await scrape(service.url);
  return names.reduce((sum, name) => sum + (sumOf(samples, name) ?? 0), 0);
}

/** Sends bytes over many connections that do not read, until the service has ended each in one of these ways. */
async function stall(bytes: Buffer, ...ends: readonly string[]) {
  const before = await total(...ends);
  return service.watch(async () => {
    const readers = await openSlowReaders(service.url, CLIENTS, bytes);
    try {
      await expect
        .poll(async () => (await total(...ends)) - before, { interval: 50 })
        .toBeGreaterThanOrEqual(CLIENTS);
    } finally {
      readers.close();
    }
  });
}

describe("200 clients that do not complete their bodies use bounded memory and time out:", () => {
  /** A request with an incomplete body. */
  function incomplete(line: string, bytes: number, headers: Readonly<Record<string, string>> = {}): Buffer {
    const all = { "Content-Type": "application/json", "Content-Length": bytes, ...headers };
    return toBytes(line, all, Buffer.alloc(bytes - 10, "["));
  }

  test.each([
    ["with a key", () => incomplete("POST /graphql", 4 * MEGABYTE, withKey())],
    ["without credentials", () => incomplete("POST /graphql", 4 * MEGABYTE)],
    ["without credentials, at the size limit", () => incomplete("POST /graphql", SMALL_BODY_LIMIT)],
    ["to an unknown path", () => incomplete("POST /nothing", SMALL_BODY_LIMIT)],
    [
      "in chunks of one byte",
      () => toBytes("POST /graphql", { "Transfer-Encoding": "chunked" }, "1\r\n[\r\n".repeat(1_000)),
    ],
  ])("%s", async (name, bytes) => {
    let held = 0;
    const measure = setInterval(async () => {
      held = Math.max(held, await total("http_large_body_bytes").catch(() => 0));
    }, 50);
    onTestFinished(() => clearInterval(measure));
    // Rejected immediately, or after the request timeout.
    expectSurvived(`incomplete bodies ${name}`, await stall(bytes(), "user_groups_errors_total"));
    expect(held).toBeLessThanOrEqual(BODIES_BUDGET);
    await expect.poll(() => total("http_large_body_bytes")).toBe(0);
  });

  test("rejects some of them while others are held, and still reads a large complete body", async () => {
    const samples = await scrape(service.url);
    expect(sumOf(samples, "http_requests_shed_total", { limit: "bodies" })).toBeGreaterThan(0);
    const group = { user_group_id: "large body", name: "Large", properties: PROPERTIES };
    expect(await rest("GET", group)).toMatchObject({ body: { user_group: { properties: PROPERTIES } } });
  });
});

describe("200 clients that do not read use bounded memory and are disconnected:", () => {
  // Reset, refused, or on a slow machine 503 at the request's deadline.
  const ends = [
    "http_connections_ended_total",
    "http_requests_shed_total",
    "user_groups_request_timeouts_total",
  ];

  test("a static file", async () => {
    const read = async (path: string) => (await request(`${service.url}/${path}`)).body.text();
    const find = (name: string, text: string) => new RegExp(`${name}-[\\w-]+\\.js`).exec(text)?.[0];
    const page = await request(`${service.url}/graphql`, { headers: { accept: "text/html" } });
    const script = await read(`assets/${find("graphql", await page.body.text())}`);
    const path = `assets/${find("graphiql", script)}`;
    expect((await read(path)).length).toBeGreaterThan(4_000_000);
    expectSurvived("a static file", await stall(toBytes(`GET /${path}`, {}), ...ends));
  });

  test("large replies", async () => {
    await createGroup("large reply", PROPERTIES);
    const query = `{ userGroup(by: { providedId: "large reply" }) { ${ALIASES} } }`;
    const body = JSON.stringify({ query });
    const headers = { "Content-Type": "application/json", "Content-Length": body.length, ...withKey() };
    // More than the kernel's buffers.
    const bytes = Buffer.concat(Array(6).fill(toBytes("POST /graphql", headers, body)));
    expectSurvived("large replies", await stall(bytes, ...ends));
  });
});

test("event streams that do not read, and attempts to open more than allowed, use bounded memory", async () => {
  const groups = await Promise.all(
    Array.from({ length: SLOW_GROUPS }, (_, index) => createGroup(`slow ${index}`, PROPERTIES)),
  );
  const { token: crowded } = await createGroup("crowded");
  const large = `subscription { userGroupChanged { userGroup { ${ALIASES} } } }`;
  const small = "subscription { userGroupChanged { userGroup { name } } }";
  const open = () => total("user_groups_subscriptions");
  const ended = () => total("http_connections_ended_total");
  const before = await ended();
  const readers: SlowReader[] = [];
  const attacked = await service.watch(async () => {
    for (const { token } of groups) {
      const opened = Array.from({ length: READERS_OF_A_GROUP }, () =>
        openSlowReader(service.url, `Bearer ${token}`, large),
      );
      readers.push(...(await Promise.all(opened)));
    }
    await expect.poll(open).toBe(readers.length);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const index of groups.keys())
        expect(await rest("PUT", { user_group_id: `slow ${index}`, name: `n${round}` })).toMatchObject({
          status: 200,
        });
    }
    await expect.poll(open).toBe(0);
    expect((await ended()) - before).toBe(readers.length);
    for (const reader of readers) reader.close();

    const statuses: Record<number, number> = {};
    for (let done = 0; done < ATTEMPTS; done += 100) {
      const streams = await Promise.all(
        Array.from({ length: 100 }, () => openEventStream(service.url, `Bearer ${crowded}`, small)),
      );
      for (const { status, close } of streams) {
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === 200) onTestFinished(close);
      }
    }
    expect(statuses).toEqual({ 200: PER_GROUP, 429: ATTEMPTS - PER_GROUP });
    expect(await open()).toBe(PER_GROUP);
    const refusals = sumOf(await scrape(service.url), "user_groups_event_stream_refusals_total", {
      reason: "token",
    });
    expect(refusals).toBe(ATTEMPTS - PER_GROUP);
  });
  expectSurvived("event streams", attacked);
});

const withKey = () => ({ Authorization: `Token ${service.key}` });

test("logs none of this as an internal error", () => service.expectNoErrors());
