import { access } from "node:fs/promises";
import { buildSchema } from "graphql";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageVersion } from "../../src/app/package-version.js";
import { printOpenApi } from "../../src/http/openapi/document.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase } from "../support/postgres/test-database.js";
import { connectionTo, processesIn, seesProcesses } from "../support/service/data-directory.js";
import {
  createTestProcesses,
  failureOf,
  type ProcessEnd,
  type RunningService,
} from "../support/service/running-process.js";

const VERSION = await packageVersion();

const processes = createTestProcesses();
afterAll(() => processes.close());

const newKey = ["key", "create", "--account", "acme", "--environment", "Testing", "--scope", "write"];

describe("keys in an embedded database", () => {
  let dataDir: string;
  let service: RunningService;
  /** Created while no service was running. */
  let offline: ProcessEnd;
  let created: ProcessEnd;
  const run = (...args: readonly string[]) => processes.run(args, { env: { DATA_DIR: dataDir } });
  const call = async (key: string) =>
    callGraphql(service.url, key, "{ viewer { accountName environment apiKey { scope } } }");
  beforeAll(async () => {
    dataDir = await processes.newDataDir();
    created = await run("account", "create", "acme");
    offline = await run(...newKey);
    if (seesProcesses) expect(await processesIn(dataDir)).toEqual([]);
    service = await processes.serve({ env: { DATA_DIR: dataDir } });
  });

  test("a command starts PostgreSQL while it runs if no service is running", async () => {
    expect(created).toEqual({
      code: 0,
      signal: null,
      stdout: "created account 1 (acme)\n",
      stderr: `Creating an empty database in ${dataDir}. To use another one, set DATA_DIR or DATABASE_URL.\n`,
    });
    expect(offline).toEqual({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(/^ugk_test_\w+\n$/),
      stderr: "",
    });
    expect(await call(offline.stdout.trim())).toMatchObject({
      status: 200,
      body: { data: { viewer: { accountName: "acme", environment: "TESTING", apiKey: { scope: "WRITE" } } } },
    });
    // The first start of the service still counts as such.
    expect(service.startUpText).toContain("ugk_live_");
  });

  test("a command uses the PostgreSQL of a running service", async () => {
    expect(await run("account", "create", "new")).toMatchObject({ code: 0 });
    const created = await run(
      "key",
      "create",
      "--account",
      "new",
      "--environment",
      "Customer",
      "--scope",
      "read",
    );
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ugk_live_\w+\n$/), stderr: "" });
    expect(await call(created.stdout.trim())).toMatchObject({
      status: 200,
      body: { data: { viewer: { accountName: "new", environment: "CUSTOMER", apiKey: { scope: "READ" } } } },
    });
  });

  test("keys are listed without secrets and stop working when revoked or expired", async () => {
    const toRevoke = (await run(...newKey, "--name", "to revoke")).stdout.trim();
    const toExpire = (await run(...newKey, "--name", "to expire", "--expires", "2h")).stdout.trim();
    for (const key of [toRevoke, toExpire]) expect(await call(key)).toMatchObject({ status: 200 });
    const before = await run("key", "list", "--account", "acme");
    expect(columns(before, "NAME", "ENVIRONMENT", "SCOPE")).toEqual([
      ["cli", "Testing", "write"],
      ["to revoke", "Testing", "write"],
      ["to expire", "Testing", "write"],
    ]);
    expect(
      columns(before, "STATE")
        .flat()
        .map((state) => state.split(" ")[0]),
    ).toEqual(["active", "active", "expires"]);

    const [, [id = ""] = []] = columns(before, "ID");
    expect(await run("key", "revoke", id)).toMatchObject({ code: 0, stdout: `revoked ${id}\n` });
    expect(await call(toRevoke)).toMatchObject({ status: 401 });
    expect(failureOf(await run("key", "revoke", id))).toBe(
      `No active API key has the ID \`${id}\`. List the keys with \`key list\`.`,
    );

    // The shortest possible expiry is an hour: move it into the past.
    await query(
      await connectionTo(dataDir),
      "UPDATE api_key SET expires_at = now() WHERE name = 'to expire'",
    );
    // A cached key expires when it did as it was cached.
    await expect.poll(async () => (await call(toExpire)).status).toBe(401);
    const actors = await query(
      await connectionTo(dataDir),
      "SELECT DISTINCT action, actor_name AS actor FROM audit_entry WHERE subject_name = 'to revoke' ORDER BY action",
    );
    expect(actors).toEqual([
      { action: "api_key.created", actor: "cli" },
      { action: "api_key.revoked", actor: "cli" },
    ]);
    const after = await run("key", "list");
    expect(
      columns(after, "STATE")
        .flat()
        .map((state) => state.split(" ")[0]),
    ).toEqual(expect.arrayContaining(["revoked", "expired"]));
    for (const secret of [toRevoke, toExpire, offline.stdout.trim()])
      expect(before.stdout + after.stdout + service.stderr()).not.toContain(secret);
  });
});

test("migrate lists, reverts and applies migrations", async () => {
  const database = await createTestDatabase("empty");
  const env = { DATABASE_URL: databaseUrl(database.target), DATA_DIR: await processes.newDataDir() };
  const migrate = async (...command: string[]) => {
    const end = await processes.run(["migrate", ...command], { env });
    expect(end, end.stderr).toMatchObject({ code: 0, signal: null });
    return end.stdout.trimEnd().split("\n");
  };
  const states = await migrate("status");
  expect(states.length).toBeGreaterThan(0);
  for (const line of states) expect(line).toMatch(/^pending \w+\d{13}$/);
  const plan = await migrate("up", "--dry-run");
  expect(plan.filter((line) => /^-- \w+\d{13}$/.test(line))).toEqual(
    states.map((line) => line.replace("pending", "--")),
  );
  expect(plan.join("\n")).toContain(`${plan[0]}\n-- locks no existing table\nBEGIN;\n`);
  expect(await migrate("status")).toEqual(states);
  expect(await migrate("up")).toEqual(states.map((line) => line.replace("pending", "applied")));
  expect(await migrate("up", "--dry-run")).toEqual(["No pending migrations."]);
  expect(await migrate("down")).toEqual([states.at(-1)?.replace("pending", "reverted")]);
  expect((await migrate("status")).at(-1)).toBe(states.at(-1));
  await database.drop();
});

test("--version, schema and openapi need neither settings nor a database", async () => {
  const dataDir = await processes.newDataDir();
  const print = async (command: string) => {
    const end = await processes.run([command], { env: { DATA_DIR: dataDir, PORT: "no port" } });
    expect(end).toMatchObject({ code: 0, stderr: "" });
    return end.stdout;
  };
  expect(await print("--version")).toBe(`${VERSION}\n`);
  expect(buildSchema(await print("schema")).getQueryType()?.name).toBe("Query");
  expect(await print("openapi")).toBe(printOpenApi(VERSION));
  await expect(access(dataDir)).rejects.toThrow("ENOENT");
});

test("invalid usage exits 2 with an error and changes nothing", async () => {
  const dataDir = await processes.newDataDir();
  const end = await processes.run([...newKey, "--expires", "2020-01-01"], { env: { DATA_DIR: dataDir } });
  expect(failureOf(end, 2)).toContain("It must be in the future");
  const unset = await processes.run(["key", "list"], { env: { DATA_DIR: dataDir, LOG_LEVEL: "loud" } });
  expect(failureOf(unset)).toMatch(/^Invalid settings: LOG_LEVEL must be one of/);
  await expect(access(dataDir)).rejects.toThrow("ENOENT");
});

/** Some columns of a printed table. */
function columns({ stdout }: ProcessEnd, ...names: readonly string[]): string[][] {
  const [head = "", ...rows] = stdout.trimEnd().split("\n");
  const headings = head.split(/ {2,}/);
  return rows.map((row) => {
    const cells = row.split(/ {2,}/);
    return names.map((name) => cells[headings.indexOf(name)] ?? "");
  });
}

async function query(
  connection: Awaited<ReturnType<typeof connectionTo>>,
  statement: string,
): Promise<unknown[]> {
  const client = new Client(connection);
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}
