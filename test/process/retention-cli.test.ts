import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseUrl } from "../support/postgres/database-url.js";
import { holdTransaction } from "../support/postgres/held-transaction.js";
import { callRest } from "../support/rest/rest-client.js";
import { runHere } from "../support/service/command.js";
import { createTestProcesses, failureOf } from "../support/service/running-process.js";
import { startTestService, type TestAccount, type TestService } from "../support/service/test-service.js";
import { createTenant } from "../support/webhooks/tenant.js";

const encryptionKey = randomBytes(32);
const processes = createTestProcesses();
let service: TestService;
let account: TestAccount;
let directory: string;
/** Secrets that no file may contain. */
let secrets: readonly string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "ug-retention-"));
  service = await startTestService({ encryptionKey, webhooks: { allowPrivate: true } });
  account = await service.createAccount();
  const tenant = await createTenant(service, account);
  const { secret } = await tenant.listen("http://127.0.0.1:1/hook");
  secrets = [
    secret,
    tenant.key,
    await tenant.createGroup("kept"),
    await tenant.createGroup("jane@example.org"),
  ];
  await tenant.run(
    'mutation { deleteUserGroup(input: { by: { providedId: "jane@example.org" } }) { userErrors { code } } }',
  );
  await tenant.run(
    `mutation { updateUserGroup(input: { by: { providedId: "kept" }, properties: { city: "Zürich" }, mapping: [{ schemaId: "sales", dataSource: "sales" }] }) { userErrors { code } } }`,
  );
});
afterAll(async () => {
  await processes.close();
  await service.close();
  await rm(directory, { recursive: true });
});

const env = () => ({
  DATABASE_URL: databaseUrl(service.target),
  DATABASE_MIGRATION_URL: databaseUrl(service.owner),
  ENCRYPTION_KEYS: encryptionKey.toString("base64"),
});
const run = (args: readonly string[]) => runHere(args, env());
/** Answers the question of a command. */
const answer = (input: string, ...args: readonly string[]) => processes.run(args, { input, env: env() });
const id = () => String(account.accountId);

test("`account export` writes everything but secrets, readable by its owner only", async () => {
  const to = join(directory, "export");
  const { code, stdout, stderr } = await run(["account", "export", id(), "--to", to]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^FILE +LINES\naccount\.jsonl +1\napi-keys\.jsonl +1\n/);
  expect((await stat(to)).mode & 0o077).toBe(0);
  const files = (await readdir(to)).map((name) => readFile(join(to, name), "utf8"));
  const text = (await Promise.all(files)).join("");
  for (const secret of secrets) expect(text).not.toContain(secret);
  // All tables and rows are compared in test/api/transfer/account-export.test.ts.
  expect(text).toContain('"provided_id":"kept"');
  const again = await run(["account", "export", id(), "--to", to]);
  expect(failureOf(again)).toMatch(/Cannot write .*export/);
});

test("an interrupted `account export` says that it starts again, and leaves nothing behind", async () => {
  const to = join(directory, "interrupted");
  const lock = await holdTransaction(service, "LOCK request_count IN ACCESS EXCLUSIVE MODE");
  // As the owner role, it would wait to grant privileges first.
  const { DATABASE_MIGRATION_URL: _, ...asApplication } = env();
  const exporting = await processes.launch(["account", "export", id(), "--to", to], { env: asApplication });
  await lock.untilAwaited();
  exporting.kill("SIGINT");
  await lock.commit();
  expect(await exporting.ended).toMatchObject({ code: 130 });
  expect(exporting.stderr()).toMatch(/^Interrupted\. Nothing was kept, .* Run the command again\.\n$/);
  expect((await readdir(directory)).filter((name) => name.startsWith("interrupted"))).toEqual([]);
  expect(await run(["account", "export", id(), "--to", to])).toMatchObject({ code: 0 });
});

test("`erase` removes the name of a deleted group, and `purge` what has expired", async () => {
  const erase = (group: string) =>
    run(["erase", "--account", account.name, "--environment", "Customer", "--user-group", group]);
  expect(failureOf(await erase("kept"))).toContain("exists. Delete it first.");
  expect(failureOf(await erase("unknown"))).toContain("has no deleted user group");
  await service.query("UPDATE webhook_delivery SET state = 'delivered' WHERE event = 'user_group.created'");
  const erased = await erase("jane@example.org");
  expect(erased.stdout).toMatch(
    /^erased from 2 audit entries, which now name it erased:[0-9a-f]{32}; deleted 1 webhook deliveries and 0 stored replies\nleft: 1 webhook deliveries that are still to be sent, until \d{4}-\S+Z at the latest: .* --drop-pending\n$/,
  );
  await service.query(
    "UPDATE webhook_delivery SET state = 'delivered', created_at = now() - interval '31 days' WHERE event = 'user_group.deleted'",
  );
  const counted = await run(["purge", "--dry-run"]);
  expect(counted.stdout).toMatch(/^PURGE +EXPIRED\n[\s\S]*^webhook_deliveries +1$/m);
  const purged = await run(["purge"]);
  expect(purged.stdout).toMatch(/^PURGE +REMOVED\n[\s\S]*^webhook_deliveries +1$/m);
  const names = `SELECT subject_name FROM audit_entry WHERE subject_name LIKE '%jane%'
    UNION ALL SELECT payload::text FROM webhook_delivery WHERE payload::text LIKE '%jane%'`;
  expect(await service.query(names)).toEqual([]);
});

test("`erase` removes stored replies about the group, and with --drop-pending its undelivered events", async () => {
  const tenant = await createTenant(service, account);
  const token = await tenant.createGroup("joe@example.org");
  const other = await tenant.createGroup("other");
  const once = (key: string) => ({ "idempotency-key": key });
  const rotate = async (current_token: string, key: string) =>
    callRest(`${service.url}/api/user`, "POST", tenant.key, { current_token }, once(key));
  const renaming = `mutation { updateUserGroup(input: { by: { providedId: "joe@example.org" }, name: "Joe" }) {
    userGroup { name } userErrors { code }
  } }`;
  // Neither reply has an ID of the group, and the second one changes nothing.
  const rename = async (key: string) =>
    callRest(`${service.url}/graphql`, "POST", tenant.key, { query: renaming }, once(key));
  expect(await rotate(token, "joe")).toMatchObject({ status: 200 });
  expect(await rotate(other, "other")).toMatchObject({ status: 200 });
  for (const key of ["rename", "rename again"])
    expect(await rename(key)).toMatchObject({ body: { data: { updateUserGroup: { userErrors: [] } } } });
  await tenant.run(
    'mutation { deleteUserGroup(input: { by: { providedId: "joe@example.org" } }) { userErrors { code } } }',
  );
  expect(await rotate(token, "joe")).toMatchObject({ status: 200 });
  const options = ["--account", account.name, "--environment", "Customer", "--user-group", "joe@example.org"];
  const erased = await run(["erase", ...options, "--drop-pending", "--json"]);
  expect(JSON.parse(erased.stdout)).toMatchObject({
    storedReplies: 3,
    deliveries: 4,
    pendingDeliveries: 0,
    pendingUntil: null,
  });
  expect(await rotate(token, "joe")).toMatchObject({ status: 404 });
  expect(await rotate(other, "other")).toMatchObject({ status: 200 });
  const left = await service.query("SELECT key FROM idempotent_request ORDER BY key");
  expect(left).toEqual([{ key: "other" }]);
  const again = await run(["erase", ...options]);
  expect(again.stdout).toMatch(
    /deleted 0 webhook deliveries and 0 stored replies\nleft: at most replies to repeated requests that named it without finding it, for 24 hours\n$/,
  );
});

test("`account delete` asks for the account's name", async () => {
  const other = await service.createAccount();
  const listed = await run(["account", "list"]);
  expect(listed.stdout).toMatch(new RegExp(`^${id()} +${account.name} +\\d{4}-`, "m"));
  const counted = await run(["account", "delete", id(), "--dry-run"]);
  expect(counted.stdout).toMatch(/^TABLE +ROWS\n[\s\S]*^data_source +4$/m);
  expect(failureOf(await answer("another name\n", "account", "delete", id()))).toContain(
    "Nothing was deleted.",
  );
  const accounts = () => service.query("SELECT name FROM account ORDER BY id");
  expect(await accounts()).toEqual([{ name: account.name }, { name: other.name }]);
  const deleted = await answer(`${account.name}\n`, "account", "delete", id());
  expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining(`deleted account ${id()}`) });
  expect(await accounts()).toEqual([{ name: other.name }]);
  expect(await service.query("SELECT DISTINCT account_id FROM data_source")).toEqual([
    { account_id: other.accountId },
  ]);
  expect(failureOf(await run(["account", "delete", id(), "--yes"]))).toContain("No account has the ID");
});
