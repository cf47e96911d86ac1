import { access } from "node:fs/promises";
import { buildSchema } from "graphql";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageVersion } from "../../src/app/package-version.js";
import { printOpenApi } from "../../src/http/openapi/document.js";
import { ENCRYPTION_KEY } from "../support/embed/sessions.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { callRest } from "../support/rest/rest-client.js";
import { runHere } from "../support/service/command.js";
import { connectionTo, processesIn, seesProcesses } from "../support/service/data-directory.js";
import {
  createTestProcesses,
  failureOf,
  type ProcessEnd,
  type RunningService,
} from "../support/service/running-process.js";
import { startTestService } from "../support/service/test-service.js";

const VERSION = await packageVersion();

const processes = createTestProcesses();
afterAll(() => processes.close());

const newKey = ["key", "create", "--account", "acme", "--environment", "Testing", "--scope", "write"];
const tenant = (account: string) => ["--account", account, "--environment", "Customer"];

describe("keys in an embedded database", () => {
  let dataDir: string;
  let service: RunningService;
  /** Created while no service was running. */
  let offline: ProcessEnd;
  let created: ProcessEnd;
  const run = (...args: readonly string[]) => runHere(args, { DATA_DIR: dataDir });
  const call = async (key: string) =>
    callGraphql(service.url, key, "{ viewer { accountName environment apiKey { scope } } }");
  beforeAll(async () => {
    dataDir = await processes.newDataDir();
    created = await processes.run(["account", "create", "acme"], { env: { DATA_DIR: dataDir } });
    offline = await processes.run(newKey, { env: { DATA_DIR: dataDir } });
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
    const created = await run("key", "create", ...tenant("new"), "--scope", "read");
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
    // The service is notified by the database.
    await expect.poll(async () => (await call(toRevoke)).status).toBe(401);
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
    const end = await runHere(["migrate", ...command], env);
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
    const end = await runHere([command], { DATA_DIR: dataDir, PORT: "no port" });
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
  const end = await runHere([...newKey, "--expires", "2020-01-01"], { DATA_DIR: dataDir });
  expect(failureOf(end, 2)).toContain("It must be in the future");
  const unset = await runHere(["key", "list"], { DATA_DIR: dataDir, LOG_LEVEL: "loud" });
  expect(failureOf(unset)).toMatch(/^Invalid settings: LOG_LEVEL must be one of/);
  await expect(access(dataDir)).rejects.toThrow("ENOENT");
});

describe("in a database of another server", () => {
  let database: TestDatabase;
  let settings: Readonly<Record<string, string>>;
  const run = (...args: readonly string[]) => runHere(args, settings);
  beforeAll(async () => {
    database = await createTestDatabase();
    settings = {
      DATABASE_URL: databaseUrl(database.target),
      ENCRYPTION_KEYS: ENCRYPTION_KEY.toString("base64"),
    };
    expect(await run("account", "create", "acme")).toMatchObject({ code: 0 });
  });
  afterAll(() => database.drop());

  test("nothing but `account create` creates an account, and only once", async () => {
    const missing = 'Account "acmee" does not exist. Fix the name, or create it with `account create`.';
    for (const command of [
      ["key", "create", ...tenant("acmee"), "--scope", "write"],
      ["key", "list", "--account", "acmee"],
      ["graphql", "{ viewer { accountName } }", ...tenant("acmee")],
      ["erase", ...tenant("acmee"), "--user-group", "jane"],
    ])
      expect(failureOf(await run(...command))).toBe(missing);
    expect(failureOf(await run("account", "create", "acme"))).toBe('Account "acme" exists.');
    const accounts = await run("account", "list", "--json");
    expect(JSON.parse(accounts.stdout)).toMatchObject([{ name: "acme" }]);
  });

  test("with --json, errors are JSON on stderr, and exit codes tell their kinds", async () => {
    const errorOf = async (code: number, args: readonly string[], env: Record<string, string> = {}) => {
      const end = await runHere([...args, "--json"], { ...settings, ...env });
      expect(end, end.stderr).toMatchObject({ code, stdout: "" });
      const { error } = JSON.parse(end.stderr);
      expect(end.stderr).toBe(`${JSON.stringify({ error: { code: error.code, message: error.message } })}\n`);
      return error;
    };
    const nowhere = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
    const [unknown, missing, typo, site, key, file, invalid, lost, help] = await Promise.all([
      errorOf(2, ["unknown"]),
      errorOf(2, ["key", "create", "--account", "acme"]),
      errorOf(1, ["key", "list", "--account", "acmee"]),
      errorOf(1, ["site-config", "put", "none.json", ...tenant("acme")]),
      errorOf(1, ["key", "revoke", "999"]),
      errorOf(2, ["import", ...tenant("acme")]),
      errorOf(1, ["key", "list"], { LOG_LEVEL: "loud" }),
      errorOf(3, ["key", "list"], nowhere),
      errorOf(2, ["key"]),
    ]);
    expect(unknown).toEqual({ code: "usage", message: "unknown command 'unknown'" });
    expect(missing).toEqual({
      code: "usage",
      message: "required option '--environment <name>' not specified",
    });
    expect(typo).toMatchObject({ code: "account_not_found" });
    expect(site).toMatchObject({
      code: "invalid_site_config",
      message: expect.stringContaining("none.json"),
    });
    expect(key).toMatchObject({ code: "api_key_not_found" });
    expect(file).toMatchObject({ code: "usage", message: expect.stringMatching(/^No file to import\./) });
    expect(invalid).toMatchObject({ code: "failed", message: expect.stringMatching(/^Invalid settings: /) });
    expect(lost).toMatchObject({ code: "unavailable", message: expect.stringContaining("DATABASE_URL") });
    expect(help).toEqual({ code: "usage", message: "missing subcommand" });
  });

  test("`signing-key` adds a key, lists the keys without secrets, and revokes former ones", async () => {
    const service = await startTestService({ use: database, encryptionKey: ENCRYPTION_KEY });
    const { body } = await callRest(`${service.url}/.well-known/jwks.json`, "GET", undefined);
    const [{ kid: first }] = Object(body).keys;
    const add = async (...args: readonly string[]) =>
      /^added ([\w-]{43}), which signs from \S+Z\n$/.exec(
        (await run("signing-key", "rotate", ...args)).stdout,
      )?.[1];
    const second = await add();
    expect(columns(await run("signing-key", "list"), "ID", "STATE")).toEqual([
      [first, "signing"],
      [second, "published"],
    ]);
    const third = await add("--revoke");
    expect(await service.query("SELECT id FROM signing_key")).toEqual([{ id: third }]);
    await service.close();
  });
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
