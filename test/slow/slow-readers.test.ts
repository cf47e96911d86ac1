import { request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type AttackedService,
  expectSurvived,
  startAttackedService,
} from "../support/faults/attacked-service.js";
import { openSlowReaders, toBytes } from "../support/faults/slow-readers.js";
import { callRest } from "../support/rest/rest-client.js";
import { scrape, sumOf } from "../support/service/metric-samples.js";

const READERS = 200;
const STALL_TIMEOUT_MS = 4_500;
/** Size of a group: nearly 64 KiB. */
const PROPERTIES = { text: "x".repeat(65_000) };
/** Aliases per query: a megabyte, nearly the most that a query may cost. */
const ALIASES = 18;
/** Queries per connection: more than the kernel's buffers. */
const PIPELINED = 6;

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService({
    STALLED_CONNECTION_TIMEOUT_MS: String(STALL_TIMEOUT_MS),
  });
});
afterAll(() => service.close());

/** Attacks until every slow reader's connection is closed. */
async function attack(bytes: Buffer): Promise<void> {
  const ended = async () => {
    const samples = await scrape(service.url);
    // Reset, refused, or on a slow machine 503 at the request's deadline.
    return ["http_connections_ended_total", "http_requests_shed_total", "user_groups_request_timeouts_total"]
      .map((name) => sumOf(samples, name) ?? 0)
      .reduce((sum, count) => sum + count, 0);
  };
  const before = await ended();
  const readers = await openSlowReaders(service.url, READERS, bytes);
  try {
    await expect
      .poll(async () => (await ended()) - before, { interval: 250 })
      .toBeGreaterThanOrEqual(READERS);
  } finally {
    readers.close();
  }
}

test("200 clients that do not read a static file use no memory and are disconnected", async () => {
  const read = async (path: string) => (await request(`${service.url}/${path}`)).body.text();
  const find = (name: string, text: string) => new RegExp(`${name}-[\\w-]+\\.js`).exec(text)?.[0];
  const page = await request(`${service.url}/graphql`, { headers: { accept: "text/html" } });
  const script = await read(`assets/${find("graphql", await page.body.text())}`);
  const path = `assets/${find("graphiql", script)}`;
  expect((await read(path)).length).toBeGreaterThan(4_000_000);
  const attacked = await service.watch(() => attack(toBytes(`GET /${path}`, {})));
  expectSurvived("slow readers of a static file", attacked);
});

test("200 clients that do not read large replies use bounded memory and are disconnected", async () => {
  const group = { user_group_id: "large", name: "Large", properties: PROPERTIES };
  expect((await callRest(`${service.url}/api/user`, "GET", service.key, group)).status).toBe(200);
  const fields = Array.from({ length: ALIASES }, (_, index) => `p${index}: properties`).join(" ");
  const query = `{ userGroup(by: { providedId: "large" }) { ${fields} } }`;
  const body = JSON.stringify({ query });
  const headers = {
    Authorization: `Token ${service.key}`,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
  };
  const attacked = await service.watch(() =>
    attack(Buffer.concat(Array(PIPELINED).fill(toBytes("POST /graphql", headers, body)))),
  );
  expectSurvived("slow readers of large replies", attacked);
});

test("logs none of this as an internal error", () => service.expectNoErrors());
