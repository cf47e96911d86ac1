import { afterAll, beforeAll, expect, test } from "vitest";
import { SMALL_BODY_LIMIT } from "../../src/graphql/server/callers.js";
import {
  type AttackedService,
  expectSurvived,
  startAttackedService,
} from "../support/faults/attacked-service.js";
import { openSlowReaders, toBytes } from "../support/faults/slow-readers.js";
import { callRest } from "../support/rest/rest-client.js";
import { scrape, sumOf } from "../support/service/metric-samples.js";

const CLIENTS = 200;
const RECEIVE_TIMEOUT_MS = 3_000;
const MEGABYTE = 1024 * 1024;
const BUDGET = 64 * MEGABYTE;
/** The number of missing bytes of each body. */
const MISSING = 10;

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService({ REQUEST_RECEIVE_TIMEOUT_MS: String(RECEIVE_TIMEOUT_MS) });
});
afterAll(() => service.close());

/** A request with an incomplete body. */
function stalled(line: string, bytes: number, key?: string): Buffer {
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": bytes,
    ...(key === undefined ? {} : { Authorization: `Token ${key}` }),
  };
  return toBytes(line, headers, Buffer.alloc(bytes - MISSING, "["));
}

test.each([
  ["with a key", () => stalled("POST /graphql", 4 * MEGABYTE, service.key)],
  ["without credentials", () => stalled("POST /graphql", 4 * MEGABYTE)],
  ["without credentials, at the size limit", () => stalled("POST /graphql", SMALL_BODY_LIMIT)],
  ["to an unknown path", () => stalled("POST /nothing", SMALL_BODY_LIMIT)],
  [
    "in chunks of one byte",
    () => toBytes("POST /graphql", { "Transfer-Encoding": "chunked" }, "1\r\n[\r\n".repeat(1_000)),
  ],
])("200 stalled bodies use bounded memory and time out: %s", async (name, request) => {
  const before = await read();
  let held = 0;
  const attacked = await service.watch(async () => {
    const clients = await openSlowReaders(service.url, CLIENTS, request());
    try {
      const countEnded = async () => {
        const { bytes, ended } = await read();
        held = Math.max(held, bytes);
        return ended - before.ended;
      };
      // Rejected immediately, or after the request timeout.
      await expect.poll(countEnded, { interval: 50 }).toBeGreaterThanOrEqual(CLIENTS);
    } finally {
      clients.close();
    }
  });
  expectSurvived(`stalled bodies ${name}`, attacked);
  expect(held).toBeLessThanOrEqual(BUDGET);
  await expect.poll(async () => (await read()).bytes).toBe(0);
});

test("rejects some of them while others are held", async () => {
  const samples = await scrape(service.url);
  expect(sumOf(samples, "http_requests_shed_total", { limit: "bodies" })).toBeGreaterThan(0);
});

test("still reads a large complete body", async () => {
  const properties = { text: "x".repeat(65_000) };
  const group = { user_group_id: "large", name: "Large", properties };
  const { status, body } = await callRest(`${service.url}/api/user`, "GET", service.key, group);
  expect({ status, body }).toMatchObject({ status: 200, body: { user_group: { properties } } });
});

test("logs none of this as an internal error", () => service.expectNoErrors());

/** Bytes of buffered bodies, and the number of error replies. */
async function read() {
  const samples = await scrape(service.url);
  return {
    bytes: sumOf(samples, "http_large_body_bytes") ?? 0,
    ended: sumOf(samples, "user_groups_errors_total") ?? 0,
  };
}
