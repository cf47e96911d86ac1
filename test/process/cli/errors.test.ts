import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseUrl } from "../../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.js";
import { createTestProcesses, failureOf } from "../../support/service/running-process.js";

const processes = createTestProcesses();
let database: TestDatabase;
let settings: Readonly<Record<string, string>>;
beforeAll(async () => {
  database = await createTestDatabase();
  settings = {
    DATABASE_URL: databaseUrl(database.target),
    ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
  };
  expect(await run("account", "create", "acme")).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await processes.close();
  await database.drop();
});

const run = (...args: readonly string[]) => processes.run(args, { env: settings });

test("nothing but `account create` creates an account, and only once", async () => {
  const missing = 'Account "acmee" does not exist. Fix the name, or create it with `account create`.';
  const choice = ["--account", "acmee", "--environment", "Testing"];
  for (const command of [
    ["key", "create", ...choice, "--scope", "write"],
    ["key", "list", "--account", "acmee"],
    ["graphql", "{ viewer { accountName } }", ...choice],
    ["erase", ...choice, "--user-group", "jane"],
  ])
    expect(failureOf(await run(...command))).toBe(missing);
  expect(failureOf(await run("account", "create", "acme"))).toBe('Account "acme" exists.');
  const accounts = await run("account", "list", "--json");
  expect(JSON.parse(accounts.stdout)).toMatchObject([{ name: "acme" }]);
});

test("with --json, errors are JSON on stderr, and exit codes tell their kinds", async () => {
  const errorOf = async (code: number, args: readonly string[], env: Record<string, string> = {}) => {
    const end = await processes.run([...args, "--json"], { env: { ...settings, ...env } });
    expect(end, end.stderr).toMatchObject({ code, stdout: "" });
    const { error } = JSON.parse(end.stderr);
    expect(end.stderr).toBe(`${JSON.stringify({ error: { code: error.code, message: error.message } })}\n`);
    return error;
  };
  const choice = ["--account", "acme", "--environment", "Testing"];
  const nowhere = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
  const [unknown, missing, typo, site, key, file, invalid, lost, help] = await Promise.all([
    errorOf(2, ["unknown"]),
    errorOf(2, ["key", "create", "--account", "acme"]),
    errorOf(1, ["key", "list", "--account", "acmee"]),
    errorOf(1, ["site-config", "put", "none.json", ...choice]),
    errorOf(1, ["key", "revoke", "999"]),
    errorOf(2, ["import", ...choice]),
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
  expect(site).toMatchObject({ code: "invalid_site_config", message: expect.stringContaining("none.json") });
  expect(key).toMatchObject({ code: "api_key_not_found" });
  expect(file).toMatchObject({ code: "usage", message: expect.stringMatching(/^No file to import\./) });
  expect(invalid).toMatchObject({ code: "failed", message: expect.stringMatching(/^Invalid settings: /) });
  expect(lost).toMatchObject({ code: "unavailable", message: expect.stringContaining("DATABASE_URL") });
  expect(help).toEqual({ code: "usage", message: "missing subcommand" });
});
