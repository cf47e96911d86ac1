import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify from "fastify";
import { Agent, request as send } from "undici";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from "../../src/http/server/connections.js";
import { superviseRequests } from "../../src/http/server/requests.js";
import { EventLoopTurns } from "../../src/services/requests/event-loop-turns.js";
import { WorkLimit } from "../../src/services/requests/work-limit.js";
import { Metrics } from "../../src/telemetry/metrics.js";
import { openSlowReaders, toBytes } from "../support/faults/slow-readers.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { exchange } from "../support/rest/raw-connection.js";
import { callRest } from "../support/rest/rest-client.js";
import { metricValue } from "../support/service/metric-samples.js";
import {
  startTestService,
  type TestService,
  type TestServiceOptions,
} from "../support/service/test-service.js";

const MEGABYTE = 1024 * 1024;
/** Six megabytes of replies exceed the kernel's buffers. */
const PROPERTIES = { text: "x".repeat(65_000) };
const LARGE_QUERY = `{ userGroup(by: { providedId: "large" }) { ${Array.from({ length: 95 }, (_, index) => `p${index}: properties`).join(" ")} } }`;

const LIVEZ = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";

let base: TestService;
beforeAll(async () => {
  base = await startTestService();
});
afterAll(() => base.close());

/** Starts a service with limits of its own on the same database, until the test ends. */
async function start(connectionLimits: Partial<ConnectionLimits>, options: TestServiceOptions = {}) {
  const service = await startTestService({ use: base, connectionLimits, ...options });
  onTestFinished(() => service.close());
  return service;
}

async function open({ url }: TestService): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** A connection that has been served. */
async function openServed(service: TestService): Promise<Socket> {
  const socket = await open(service);
  socket.write(LIVEZ);
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

describe("connections", () => {
  test("above an address's limit get 429 until one of the others closes", async () => {
    const service = await start({ maxConnectionsPerAddress: 2 });
    const first = await openServed(service);
    await openServed(service);
    const { answer } = await exchange(service.url, [LIVEZ]);
    expect(answer.match(/^HTTP\/1\.1 .*$/gm)).toEqual(["HTTP/1.1 429 Too Many Requests"]);
    expect(answer).toMatch(/\r\nretry-after: 5\r\nConnection: close\r\n/);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toMatchObject({
      success: 0,
      error: { code: "rate_limited", message: expect.stringContaining("from this address") },
    });
    expect(
      await metricValue(service.services.telemetry.metrics.refusedConnections, { limit: "address" }),
    ).toBe(1);
    first.destroy();
    const last = LIVEZ.replace("Host", "Connection: close\r\nHost");
    await expect.poll(async () => (await exchange(service.url, [last])).answer).toMatch(/ 200 OK/);
  });

  test("of a trusted proxy are limited only by the process, with 503", async () => {
    const limits = { maxConnectionsPerAddress: 1, maxConnections: 3 };
    const service = await start(limits, { trustedProxies: ["10.0.0.0/8", "127.0.0.0/8"] });
    for (let count = 0; count < limits.maxConnections; count += 1) await openServed(service);
    const { answer } = await exchange(service.url, [LIVEZ]);
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*[\s\S]*\r\nretry-after: 5\r\n[\s\S]*"code":"unavailable"/);
    expect(
      await metricValue(service.services.telemetry.metrics.refusedConnections, { limit: "process" }),
    ).toBe(1);
  });

  test("rejected in large numbers are closed, with or without a reply", async () => {
    const service = await start({ maxConnectionsPerAddress: 1 });
    await openServed(service);
    await Promise.all(Array.from({ length: 300 }, () => exchange(service.url, [])));
    expect(
      await metricValue(service.services.telemetry.metrics.refusedConnections, { limit: "address" }),
    ).toBe(300);
  });
});

describe("an incomplete request", () => {
  const JSON_TYPE = { "Content-Type": "application/json" };
  test.each([
    ["without the end of its headers", () => "GET /livez HTTP/1.1\r\nHost: x\r\nX: y"],
    [
      "without the end of its body",
      () => toBytes("POST /graphql", { ...JSON_TYPE, "Content-Length": 100 }, "{"),
    ],
    [
      "without the end of a large body",
      () => toBytes("POST /graphql", { ...JSON_TYPE, "Content-Length": 10_000 }, "{"),
    ],
    [
      "without the last chunk of its body",
      () => toBytes("POST /graphql", { ...JSON_TYPE, "Transfer-Encoding": "chunked" }, "1\r\n{\r\n"),
    ],
  ])("with %s gets 408", async (_name, request) => {
    const service = await start({ receiveTimeoutMs: 300 });
    const { answer } = await exchange(service.url, [request()]);
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"The request took too long to arrive\."/);
  });
});

describe("a client that does not read", () => {
  async function startWithLargeGroup(limits: Partial<ConnectionLimits>) {
    const service = await start(limits, { limits: { aliases: 1000, cost: 100_000_000 } });
    const { secret } = await (await service.createAccount()).createKey();
    const group = { user_group_id: "large", name: "Large", properties: PROPERTIES };
    expect((await callRest(`${service.url}/api/user`, "GET", secret, group)).status).toBe(200);
    const body = JSON.stringify({ query: LARGE_QUERY });
    const headers = {
      Authorization: `Token ${secret}`,
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
    };
    const { endedConnections, shedRequests } = service.services.telemetry.metrics;
    return {
      service,
      key: secret,
      request: toBytes("POST /graphql", headers, body),
      endedConnections,
      shedRequests,
    };
  }

  test("is reset during a large reply; a slow reader gets all of it", async () => {
    const { service, request, endedConnections } = await startWithLargeGroup({ stallTimeoutMs: 1_500 });
    const stalled = await openSlowReaders(service.url, 1, request);
    onTestFinished(() => stalled.close());
    const slow = await open(service);
    slow.write(request);
    let bytes = 0;
    let contentLength = Number.POSITIVE_INFINITY;
    for await (const chunk of slow) {
      const [, length] = /content-length: (\d+)/i.exec(chunk.toString("latin1", 0, 1000)) ?? [];
      if (length !== undefined) contentLength = Number(length);
      bytes += chunk.length;
      if (bytes >= contentLength) break;
      await sleep(20);
    }
    expect(bytes).toBeGreaterThan(6 * MEGABYTE - 200_000);
    await expect.poll(() => metricValue(endedConnections, { reason: "stalled" })).toBe(1);
  });

  test("is reset when many large replies fill the memory budget, and others get 503 until then", async () => {
    const { service, key, request, endedConnections, shedRequests } = await startWithLargeGroup({
      // None is disconnected for that alone.
      stallTimeoutMs: 60_000,
      maxUnsentBytes: 13 * MEGABYTE,
    });
    const readers = await openSlowReaders(service.url, 4, request);
    onTestFinished(() => readers.close());
    await expect.poll(() => metricValue(shedRequests, { limit: "unsent" })).toBeGreaterThan(0);
    expect(await callGraphql(service.url, key, LARGE_QUERY)).toMatchObject({
      status: 503,
      headers: { "retry-after": "5" },
      body: { errors: [{ extensions: { code: "UNAVAILABLE" } }] },
    });
    expect(await callGraphql(service.url, key, "{ viewer { environment } }")).toMatchObject({ status: 200 });
    const answered = async () => (await callGraphql(service.url, key, LARGE_QUERY)).status;
    await expect.poll(answered, { interval: 500 }).toBe(200);
    expect(await metricValue(endedConnections, { reason: "unsent_budget" })).toBeGreaterThan(0);
  });
});

/** Returns the status of a large request from another address of this machine. */
async function statusFrom(localAddress: string, url: string, secret: string, text: string): Promise<number> {
  const dispatcher = new Agent({ localAddress });
  const { statusCode, body } = await send(`${url}/graphql`, {
    dispatcher,
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Token ${secret}` },
    body: JSON.stringify({ query: "{ viewer { environment } }", variables: { text } }),
  });
  await body.dump();
  await dispatcher.close();
  return statusCode;
}

describe("bodies in transit", () => {
  test("get 503 while stalled ones use up the limit, and are read once those have timed out", async () => {
    const service = await start({ maxBodyBytes: 8 * MEGABYTE, receiveTimeoutMs: 2_000 });
    const { secret } = await (await service.createAccount()).createKey();
    const { shedRequests } = service.services.telemetry.metrics;
    const length = {
      "Content-Type": "application/json",
      Authorization: `Token ${secret}`,
      "Content-Length": 4 * MEGABYTE,
    };
    const stalled = await openSlowReaders(
      service.url,
      2,
      toBytes("POST /graphql", length, Buffer.alloc(MEGABYTE, "[")),
    );
    onTestFinished(() => stalled.close());
    await expect.poll(() => metricValue(shedRequests, { limit: "bodies" })).toBe(1);
    const text = "x".repeat(MEGABYTE);
    const large = async () => callGraphql(service.url, secret, "{ viewer { environment } }", { text });
    const small = async () => callGraphql(service.url, secret, "{ viewer { environment } }");
    expect(await small()).toMatchObject({ status: 200 });
    // One address has at most half of the limit.
    expect(await statusFrom("127.0.0.2", service.url, secret, text)).toBe(200);
    await expect.poll(async () => (await large()).status, { interval: 250 }).toBe(200);
  });

  test("do not crash the process when they are unread and break off", async () => {
    const service = await start({});
    const head =
      "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: @@@\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const delayMs of [0, 1, 3, 10]) {
      const socket = await open(service);
      socket.write(`${"GET /api/user HTTP/1.1\r\nHost: x\r\n\r\n".repeat(6)}${head}10\r\n{`);
      await sleep(delayMs);
      socket.resetAndDestroy();
    }
    // Vitest fails the run for an unhandled error.
    await openServed(service);
  });
});

/** A server that answers every request that it does not shed. */
async function startSheddingServer() {
  const app = Fastify();
  const metrics = new Metrics();
  superviseRequests(app, {
    work: { limit: new WorkLimit(10, metrics), turns: new EventLoopTurns() },
    metrics,
    usage: undefined,
    tracing: undefined,
    timeoutMs: Number.POSITIVE_INFINITY,
    maxEventLoopDelayMs: DEFAULT_CONNECTION_LIMITS.maxEventLoopDelayMs,
    trustsProxies: false,
    successesPerSecond: 0,
    sendError: () => undefined,
  });
  app.setErrorHandler((_error, _request, reply) => reply.code(503).send());
  app.get("/*", () => "served");
  await app.ready();
  const statusOf = async (url: string) => (await app.inject({ url })).statusCode;
  return { app, statusOf, shed: () => metricValue(metrics.shedRequests, { limit: "event_loop" }) };
}

/** Keeps the event loop from turning. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("a long start sheds no requests", async () => {
  const { app, statusOf, shed } = await startSheddingServer();
  block(3_000);
  // Until after the first measurement.
  for (let tries = 0; tries < 25; tries += 1) {
    await sleep(100);
    expect(await statusOf("/graphql")).toBe(200);
  }
  expect(await shed()).toBe(0);
  await app.close();
});

test("an event loop with long turns sheds requests, but no health checks", async () => {
  const { app, statusOf, shed } = await startSheddingServer();
  for (let turn = 0; turn < 4; turn += 1) {
    block(1_500);
    await sleep(1);
  }
  expect(await statusOf("/livez")).toBe(200);
  expect(await statusOf("/graphql")).toBe(503);
  expect(await shed()).toBe(1);
  await app.close();
});
