import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import {
  hostileJson,
  hostileObject,
  hostileText,
  maybeInvalidSiteConfig,
} from "../support/rest/hostile-json.js";
import { exchange } from "../support/rest/raw-connection.js";
import { callRest } from "../support/rest/rest-client.js";
import { createTestProcesses } from "../support/service/running-process.js";

const processes = createTestProcesses();
const REQUESTS = 2000;
const AT_ONCE = 20;
const PAGE_BYTES = 4096;
/** Decision 36. */
const MEMORY_BOUND = 400 * 1024 * 1024;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await processes.close();
  await database.drop();
});

async function residentBytes(pid: number): Promise<number> {
  const [, pages = ""] = (await readFile(`/proc/${pid}/statm`, "utf8")).split(" ");
  return Number(pages) * PAGE_BYTES;
}

test("the process survives thousands of hostile requests in bounded memory", async () => {
  const env = {
    DATABASE_URL: databaseUrl(database.target),
    ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    RATE_LIMIT: "0",
  };
  await processes.run(["account", "create", "A"], { env });
  const made = await processes.run(
    ["key", "create", "--account", "A", "--environment", "Customer", "--scope", "write"],
    { env },
  );
  const key = made.stdout.trim();
  const service = await processes.serve({ env });
  const text = hostileText.map((value) => JSON.stringify(value));
  const bodies = maybeInvalidSiteConfig(
    hostileObject({ user_group_id: text, name: text, properties: hostileJson, query: text }),
  );
  const statuses = new Set<number>();
  let largest = 0;
  for (let done = 0; done < REQUESTS; done += AT_ONCE) {
    const calls = fc.sample(bodies, AT_ONCE).map(async (body, index) => {
      const path = index % 4 === 0 ? "/graphql" : "/api/user";
      const method = index % 4 === 0 ? "POST" : (["GET", "PUT", "POST", "DELETE"][index % 4] ?? "GET");
      statuses.add((await callRest(service.url + path, method, key, body)).status);
    });
    await Promise.all(calls);
    largest = Math.max(largest, await residentBytes(service.pid));
  }
  const head = `Host: x\r\nAuthorization: Token ${key}\r\nContent-Type: application/json\r\n`;
  const filler = Array(1600).fill("x".repeat(65_536));
  await Promise.all(
    [
      [`PUT /api/user HTTP/1.1\r\n${head}Content-Length: 104857600\r\n\r\n`, ...filler],
      [`POST /graphql HTTP/1.1\r\n${head}Content-Length: 104857600\r\n\r\n`, ...filler],
      [`GET /livez HTTP/1.1\r\nX: `, ...filler],
      [
        `POST /graphql HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`,
        ...filler.map((part) => `10000\r\n${part}\r\n`),
      ],
    ].map((parts) => exchange(service.url, parts)),
  );
  largest = Math.max(largest, await residentBytes(service.pid));
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
  expect(largest).toBeLessThan(MEMORY_BOUND);
  const good = await callRest(`${service.url}/api/user`, "GET", key, { user_group_id: "good", name: "Good" });
  expect(good).toMatchObject({ status: 200, body: { user_group: { provided_id: "good" } } });
  service.kill("SIGTERM");
  const { code, stdout, stderr } = await service.ended;
  expect(code).toBe(0);
  expect((stdout + stderr).split("\n").filter((line) => line.includes('"level":50'))).toEqual([]);
});
