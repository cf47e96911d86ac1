import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { callRest } from "../support/rest/rest-client.js";
import { createTestProcesses } from "../support/service/running-process.js";

const processes = createTestProcesses();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await processes.close();
  await database.drop();
});

test("the limits apply in a process that starts without its Redis and logs it", async () => {
  const env = {
    DATABASE_URL: databaseUrl(database.target),
    ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    RATE_LIMIT: "1",
    AUTH_FAILURE_LIMIT: "1",
    TRUSTED_PROXIES: "127.0.0.1",
    REDIS_URL: "redis://:pass-word@127.0.0.1:1",
  };
  await processes.run(["account", "create", "A"], { env });
  const made = await processes.run(
    ["key", "create", "--account", "A", "--environment", "Customer", "--scope", "write"],
    { env },
  );
  const service = await processes.serve({ env });
  const call = (key: string, address: string) =>
    callRest(
      `${service.url}/api/user`,
      "GET",
      key,
      { user_group_id: "x", name: "X" },
      { "x-forwarded-for": address },
    );
  const key = made.stdout.trim();
  expect(await call(key, "192.0.2.1")).toMatchObject({
    status: 200,
    headers: { "ratelimit-policy": '"requests";q=1;w=60' },
  });
  expect((await call(key, "192.0.2.1")).status).toBe(429);
  expect((await call("nonsense", "192.0.2.2")).status).toBe(401);
  expect((await call("nonsense", "192.0.2.2")).status).toBe(429);
  expect((await call("nonsense", "192.0.2.3")).status).toBe(401);
  service.kill("SIGTERM");
  const { code, stderr } = await service.ended;
  expect(code).toBe(0);
  const lines = stderr.split("\n").filter((line) => line.includes("Redis"));
  expect(lines).toEqual([expect.stringContaining("each process counts rate limits separately")]);
  expect(stderr).not.toContain("pass-word");
});
