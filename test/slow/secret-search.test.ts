import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { hashApiKey, issueApiKey } from "../../src/domain/accounts/api-key.js";
import { TokenVault } from "../../src/domain/accounts/token-vault.js";
import { issueUserGroupToken } from "../../src/domain/user-groups/token.js";
import { issueWebhookSecret } from "../../src/domain/webhooks/attempt.js";
import { administer } from "../support/postgres/postgres-setup.js";
import { createTestDatabase } from "../support/postgres/test-database.js";
import { callRest } from "../support/rest/rest-client.js";
import { userGroupOf } from "../support/rest/rest-fixture.js";
import { logPath, readLogs, secretsOf, writeSecret } from "../support/secrets/run-record.js";
import { findSecrets, findSecretsInBytes, type KnownSecret } from "../support/secrets/secret-search.js";
import { expectNoSecrets, searchFiles, searchRun } from "../support/secrets/stored-secrets.js";
import { createTestProcesses } from "../support/service/running-process.js";
import { startTestService } from "../support/service/test-service.js";

const key = randomBytes(32);
const known: readonly KnownSecret[] = [{ name: "an encryption key", value: key }];
const token = issueUserGroupToken(7);
const apiKey = issueApiKey(7, "Testing");
const webhookSecret = issueWebhookSecret();
const base64 = (text: string) => Buffer.from(text).toString("base64");

test.each([
  ["a token in a log", `{"path":"/${token}"}`, "a user group token"],
  ["a key of one environment", `Token ${apiKey.secret}`, "an API key"],
  ["a key of the other", issueApiKey(1, "Customer").secret, "an API key"],
  ["an invalid key", '{"authorization":"Token ugk_live_nonsense"}', "an API key"],
  ["a webhook's secret", webhookSecret, "a webhook secret"],
  ["a webhook's secret in a query", `?secret=${encodeURIComponent(webhookSecret)}`, "a webhook secret"],
  ["a webhook's secret that begins with a slash in a query", "?secret=whsec_%2Fa", "a webhook secret"],
  ["bytes of a row", `(1,"\\\\x${Buffer.from(apiKey.secret).toString("hex")}",t)`, "an API key"],
  ["base64 of a token", base64(token), "a user group token"],
  ["base64 of one among others", base64(`7:${token}:1`), "a user group token"],
  ["base64 of one elsewhere", base64(`70:${token}`), "a user group token"],
  ["base64 in bytes", `\\x${Buffer.from(base64(token)).toString("hex")}`, "a user group token"],
  ["a known key's base64", `key=${key.toString("base64")}`, "an encryption key"],
  ["a known key's base64 for URLs", key.toString("base64url"), "an encryption key"],
  ["a known key's hex", `\\x00${key.toString("hex")}00`, "an encryption key"],
  ["a known key unencoded", `${key.toString("latin1")}`, "an encryption key"],
])("finds %s", (_, text, what) => {
  const findings = findSecrets(text, known);
  expect(findings.map((finding) => finding.what)).toContain(what);
  expect(JSON.stringify(findings)).not.toContain(token);
});

test("finds whole secrets among any bytes", () => {
  const among = (bytes: string | Buffer) =>
    Buffer.concat([randomBytes(5000), Buffer.from(bytes), randomBytes(5000)]);
  for (const planted of [token, apiKey.secret, webhookSecret, key]) {
    expect(findSecretsInBytes(among(planted), known)).toHaveLength(1);
  }
  expect(findSecretsInBytes(among("ugt_1"), known)).toEqual([]);
});

test("ignores values derived from secrets", () => {
  const vault = new TokenVault([key]);
  const encrypted = vault.encryptToken(token, { accountId: 7, tokenKeyId: vault.primaryKeyId }).ciphertext;
  const bytes = [encrypted, vault.lookup(token, vault.primaryKeyId), hashApiKey(apiKey.secret)];
  const texts = bytes.flatMap((each) => [each.toString("hex"), each.toString("base64")]);
  const harmless = [
    ...texts,
    apiKey.hint,
    "ugt_…",
    "a token that begins with ugt_ or whsec_",
    vault.primaryKeyId,
  ];
  expect(findSecrets(harmless.join("\n"), known)).toEqual([]);
});

test("fails a run that has logged a secret and says where", async () => {
  const record = await mkdtemp(join(tmpdir(), "ug-record-"));
  onTestFinished(() => rm(record, { recursive: true }));
  await writeFile(logPath(record, "harmless.test.ts"), '{"path":"/api/user"}\n');
  const search = async () => expectNoSecrets(await searchRun(record, [], undefined), "the run");
  await search();
  await writeFile(logPath(record, "one.test.ts"), `{"path":"/${token}"}\n`);
  writeSecret(record, "two.test.ts", { name: "an encryption key", value: key });
  await writeFile(logPath(record, "two.test.ts"), `${key.toString("base64")}\n`);
  await expect(search()).rejects.toThrow(
    /the run:\n {2}a user group token: log of one\.test\.ts: .*path.*\n/,
  );
  await expect(search()).rejects.toThrow(/an encryption key: log of two\.test\.ts: /);
});

test.each([
  ["text", `'${token}'::text`],
  ["bytes", `'${token}'::bytea`],
  ["JSON", `json_build_object('token', '${token}')`],
  ["a webhook's secret", `'${webhookSecret}'::text`],
])("reports a dropped database that contains one: %s", async (_, value) => {
  const database = await createTestDatabase("empty");
  // Unlogged: the files of the run's server are searched, too.
  await administer(database.owner, `CREATE UNLOGGED TABLE planted AS SELECT 1 AS id, ${value} AS value`);
  await expect(database.drop()).rejects.toThrow("table planted");
});

test("records the logs and keys of services, including other processes", async () => {
  const { record } = inject("postgres");
  const encryptionKey = randomBytes(32);
  const service = await startTestService({ encryptionKey });
  const processes = createTestProcesses();
  const dataDir = await processes.newPreparedDataDir();
  const running = await processes.serve({ env: { DATA_DIR: dataDir } });
  const [demoKey = ""] = /ugk_live_\w+/.exec(running.startUpText) ?? [];
  const ids = await Promise.all(
    [service, running].map(
      async ({ url }) => (await callRest(`${url}/nowhere`, "GET", undefined)).headers["x-request-id"],
    ),
  );
  const { token: stored } = userGroupOf(
    await callRest(`${running.url}/api/user`, "GET", demoKey, { user_group_id: "acme", name: "Acme" }),
  );
  running.kill("SIGTERM");
  await running.ended;
  // Where a row would contain it if it were not encrypted.
  await writeFile(join(dataDir, "postgres", "planted"), `\0${stored}`);
  await expect(processes.close()).rejects.toThrow("postgres/planted");
  await service.close();
  const logs = readLogs(record).map(({ text }) => text);
  for (const id of ids) expect(logs.join("")).toContain(String(id));
  expect(secretsOf(record, "secret-search.test.ts").map(({ value }) => value.toString("hex"))).toContain(
    encryptionKey.toString("hex"),
  );
  expect(logs.join("")).toContain(`listening on ${running.url}`);
  expect(logs.join("")).not.toContain("which are shown only once");
});

test("searches files except the secrets file", async () => {
  const directory = await mkdtemp(join(tmpdir(), "ug-files-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, "secrets.json"), token);
  expect(await searchFiles(directory, known, ["secrets.json"])).toEqual([]);
  expect(await searchFiles(directory, known)).toHaveLength(1);
});
