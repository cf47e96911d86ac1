import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { callRest } from "../support/rest/rest-client.js";
import { runHere } from "../support/service/command.js";
import { createTestProcesses, failureOf } from "../support/service/running-process.js";

const processes = createTestProcesses();
const encryptionKey = randomBytes(32).toString("base64");
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase("empty");
});
afterAll(async () => {
  await processes.close();
  await database.drop();
});

describe("three replicas starting together on an empty database", () => {
  const env = () => ({ DATABASE_URL: databaseUrl(database.target), ENCRYPTION_KEYS: encryptionKey });

  test("all become ready after the migrations have run once", async () => {
    const replicas = await Promise.all([0, 1, 2].map(() => processes.serve({ env: env() })));
    const client = new Client("url" in database.target ? database.target.url : database.target);
    await client.connect();
    const { rows } = await client.query(
      "SELECT name, count(*)::integer AS times FROM schema_migration GROUP BY name",
    );
    await client.end();
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toMatchObject({ times: 1 });

    const options = ["--account", "acme", "--environment", "Customer", "--scope", "write"];
    await runHere(["account", "create", "acme"], env());
    const created = await runHere(["key", "create", ...options], env());
    const body = { user_group_id: "acme", name: "Acme", mapping: {} };
    const replies: unknown[] = [];
    for (const { url } of replicas)
      replies.push((await callRest(`${url}/api/user`, "GET", created.stdout.trim(), body)).body);
    const group = { name: "Acme", token: expect.stringMatching(/^\S+$/) };
    expect(replies[0]).toMatchObject({ new_user_group: true, user_group: group });
    const again = { ...Object(replies[0]), new_user_group: false };
    expect(replies.slice(1)).toEqual([again, again]);
    for (const { startUpText } of replicas) expect(startUpText).not.toContain("ugk_");
    for (const replica of replicas) replica.kill("SIGTERM");
    for (const replica of replicas) expect(await replica.ended).toMatchObject({ code: 0 });
  });

  test("ENCRYPTION_KEYS that do not match the database fail the start in one line", async () => {
    const other = randomBytes(32).toString("base64");
    const line = failureOf(await processes.run([], { env: { ...env(), ENCRYPTION_KEYS: other } }));
    expect(line).toMatch(/^The tokens in this database are encrypted with other keys/);
    expect(line).not.toContain(other);
    expect(line).not.toContain(encryptionKey);
  });
});
