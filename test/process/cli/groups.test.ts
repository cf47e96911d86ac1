import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseUrl } from "../../support/postgres/database-url.js";
import { callRest } from "../../support/rest/rest-client.js";
import { failureOf } from "../../support/service/process-failure.js";
import { createTestProcesses, type ProcessEnd } from "../../support/service/running-process.js";
import { startTestService, type TestAccount, type TestService } from "../../support/service/test-service.js";
import { goodSite } from "../../support/site-configs/store.js";

const processes = createTestProcesses();
let service: TestService;
let account: TestAccount;
let env: Record<string, string>;
beforeAll(async () => {
  const encryptionKey = randomBytes(32);
  service = await startTestService({ encryptionKey });
  account = await service.createAccount();
  env = {
    DATABASE_URL: databaseUrl(service.target),
    ENCRYPTION_KEYS: encryptionKey.toString("base64"),
    WEBHOOK_ALLOW_PRIVATE: "true",
  };
});
afterAll(async () => {
  await processes.close();
  await service.close();
});

/** Runs a command for the account. */
async function run(...args: readonly string[]): Promise<ProcessEnd> {
  return processes.run([...args, "--account", account.name, "--environment", "Customer"], { env });
}

async function json(...args: readonly string[]) {
  const end = await run(...args, "--json");
  expect(end, end.stderr).toMatchObject({ code: 0 });
  return JSON.parse(end.stdout);
}

test("group creates, changes, lists, rotates and deletes, and keeps properties as they are", async () => {
  const properties = '{"b":1.0,"9":12345678901234567890}';
  const created = await run("group", "put", "acme", "--name", "Acme", "--properties", properties, "--json");
  expect(created).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining(`"properties":${properties}`),
  });
  expect(JSON.parse(created.stdout)).not.toHaveProperty("token");
  const changed = await json("group", "put", "acme", "--mapping", '{"charts":"sales"}', "--with-token");
  expect(changed).toMatchObject({
    provided_id: "acme",
    name: "Acme",
    version: 2,
    mapping: { charts: "sales" },
  });
  const [other, unknown] = await Promise.all([
    run("group", "put", "beta"),
    run("group", "put", "acme", "--mapping", '{"charts":"nowhere"}'),
  ]);
  expect(failureOf(other)).toMatch(/name/);
  expect(failureOf(unknown)).toMatch(/nowhere/);
  await run("group", "put", "beta", "--name", "Beta");

  const [listed, table, one] = await Promise.all([
    json("group", "list"),
    run("group", "list", "--starts-with", "b", "--limit", "1"),
    run("group", "get", "acme", "--with-token"),
  ]);
  expect(listed.map(({ provided_id }: { provided_id: string }) => provided_id)).toEqual(["acme", "beta"]);
  expect(table.stdout).toMatch(/^ID +NAME .*\nbeta +Beta +1 .*\n$/);
  expect(one.stdout).toContain(properties);
  expect(one.stdout).toContain(changed.token);

  expect(failureOf(await run("group", "rotate", "acme", "nobody"))).toMatch(/^"nobody": /);
  const [rotated] = await json("group", "rotate", "acme");
  expect(rotated.token).not.toBe(changed.token);
  const { secret } = await account.createKey();
  const found = await callRest(`${service.url}/api/user`, "GET", secret, { user_group_id: "acme" });
  expect(found).toMatchObject({ body: { new_user_group: false, user_group: { token: rotated.token } } });
  expect(await json("group", "delete", "acme", "beta")).toEqual({ deleted: ["acme", "beta"] });
  expect(failureOf(await run("group", "get", "acme"))).toBe('No user group has the ID "acme".');
  const exported = await run("export", "--groups", "-", "--format", "jsonl");
  expect(exported).toMatchObject({ code: 0, stdout: "", stderr: "standard output: 0 groups\n" });
});

test("webhook manages endpoints, sends test events and shows deliveries", async () => {
  const url = "http://127.0.0.1:9/hook";
  const created = await json("webhook", "create", url, "--name", "Billing", "--events", "user_group.created");
  expect(created).toMatchObject({
    url,
    name: "Billing",
    enabled: true,
    secret: expect.stringMatching(/^whsec_/),
  });
  const id = String(created.id);
  await run("group", "put", "hooked", "--name", "H");
  const [deliveries, listed, secret] = await Promise.all([
    json("webhook", "deliveries", "--endpoint", id),
    run("webhook", "list"),
    run("webhook", "rotate-secret", id),
  ]);
  expect(deliveries).toMatchObject([
    { event: "user_group.created", state: "pending", endpoint_id: created.id },
  ]);
  expect(listed.stdout).toMatch(/Billing +http:\/\/127\.0\.0\.1:9\/hook +user_group\.created +enabled/);
  expect(secret.stdout).toMatch(/^whsec_\S+\n$/);
  const test = await json("webhook", "test", id);
  expect(test).toMatchObject({ event: "webhook_endpoint.test", state: "pending", endpoint_id: created.id });
  expect(await run("webhook", "test", id)).toMatchObject({ stdout: `delivery ${test.id} is pending\n` });
  expect(await json("webhook", "disable", id)).toMatchObject({ enabled: false, disabled_reason: "admin" });
  expect(await json("webhook", "replay", String(deliveries[0].id))).toMatchObject({ state: "pending" });
  expect(failureOf(await run("webhook", "test", id))).toMatch(/enable this one first/);
  expect(await run("webhook", "delete", id)).toMatchObject({ code: 0, stdout: `deleted ${id}\n` });
  expect(failureOf(await run("webhook", "delete", id))).toBe("No webhook endpoint has this ID.");
});

test("--json prints what the tables show, for keys and sites", async () => {
  const made = await processes.run(
    ["key", "create", "--account", account.name, "--environment", "Customer", "--scope", "write", "--json"],
    { env },
  );
  const { id, key } = JSON.parse(made.stdout);
  const [keys] = await Promise.all([
    processes.run(["key", "list", "--account", account.name, "--json"], { env }),
    callRest(`${service.url}/site-config/docs`, "PUT", key, goodSite),
  ]);
  expect(JSON.parse(keys.stdout)).toContainEqual(
    expect.objectContaining({ id, scope: "write", revoked_at: null }),
  );
  expect(await json("site-config", "list")).toMatchObject([{ site: "docs", revision: 1, is_public: false }]);
  expect((await run("site-config", "list")).stdout).toMatch(/\ndocs +1 +private/);
  expect(await json("site-config", "get", "--site", "docs")).toEqual({
    site: "docs",
    text: JSON.stringify(goodSite),
  });
});

test("complete prints scripts for bash, zsh and fish, which complete commands, options and values", async () => {
  const complete = async (...words: readonly string[]) => {
    const { stdout } = await processes.run(["complete", "--", ...words]);
    return stdout.split("\n").map((line) => line.split("\t")[0]);
  };
  const [commands, options, values, ...scripts] = await Promise.all([
    complete("group", ""),
    complete("group", "put", "acme", "--w"),
    complete("key", "create", "--scope", ""),
    ...["bash", "zsh", "fish"].map((shell) => processes.run(["complete", shell])),
  ]);
  expect(commands).toEqual(expect.arrayContaining(["list", "get", "put", "delete", "rotate"]));
  expect(options).toContain("--with-token");
  expect(values).toEqual(expect.arrayContaining(["read", "admin"]));
  for (const { code, stdout } of scripts) {
    expect(code).toBe(0);
    expect(stdout).toContain("user-groups complete --");
  }
});

test("help marks required options and names --json", async () => {
  const { stdout } = await processes.run(["webhook", "create", "--help"]);
  expect(stdout).toMatch(/--name <text> +name of the endpoint \(required\)/);
  expect(stdout).toMatch(/--account <name> +account name \(required\)/);
  expect(stdout).toMatch(/--json +print the result as JSON/);
});
