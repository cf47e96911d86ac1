import { randomBytes } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";
import { Database } from "../../../src/persistence/database/database.js";
import { TokenReencryption } from "../../../src/services/transfer/token-reencryption.js";
import { createSession, readViewer } from "../../support/embed/sessions.js";
import { expectDerivedColumns } from "../../support/postgres/derived-columns.js";
import { userGroupOf } from "../../support/rest/rest-fixture.js";
import {
  countsOf,
  foreignToken,
  startTransferCommands,
  type TransferTenant,
  toLines,
} from "../../support/transfer/commands.js";

const commands = await startTransferCommands();
afterAll(() => expectDerivedColumns(commands.service));

let files = 0;
async function importRecords(tenant: TransferTenant, records: readonly object[], replaceTokens = false) {
  files += 1;
  const groups = await commands.write(`groups-${files}.jsonl`, toLines(records));
  return tenant.import({ groups, replaceTokens });
}

/** Gives a group a former token in its grace period. */
const setPreviousToken = ({ accountId }: TransferTenant, providedId: string, token: string) =>
  commands.service.query(
    `UPDATE user_group SET previous_token_lookup = $3, previous_token_expires_at = now() + interval '1 hour'
      WHERE account_id = $1 AND provided_id = $2`,
    [accountId, providedId, new TokenVault([commands.encryptionKey]).lookups(token)[0]],
  );

const named = (name: string) => ({ status: 200, body: { data: { viewer: { userGroup: { name } } } } });
const refused = { status: 401 };

test("an imported token is the group's token in every respect until it is rotated", async () => {
  const tenant = await commands.createTenant("Testing");
  const token = foreignToken();
  await importRecords(tenant, [{ provided_id: "acme", name: "Acme", token }]);
  expect(await tenant.viewer(token)).toMatchObject(named("Acme"));
  const found = await tenant.call("GET", { user_group_id: "acme" });
  expect(found.body).toMatchObject({ success: 1, new_user_group: false, user_group: { token } });
  const rotated = await tenant.call("POST", { current_token: token });
  expect(rotated.status).toBe(200);
  expect(await tenant.viewer(token)).toMatchObject(refused);
  expect(await tenant.call("POST", { current_token: token })).toMatchObject({ status: 404 });
  expect(await tenant.viewer(userGroupOf(rotated).token)).toMatchObject(named("Acme"));
  // No group has it now.
  expect(countsOf(await importRecords(tenant, [{ provided_id: "heir", name: "Heir", token }]))).toEqual({
    groups: [1, 1, 0, 0, 0],
  });
  expect(await tenant.viewer(token)).toMatchObject(named("Heir"));
  expect(await tenant.call("DELETE", { current_token: token })).toMatchObject({ status: 200 });
  expect(await tenant.viewer(token)).toMatchObject(refused);
});

test("a token issued by another installation names another account and is still found", async () => {
  const tenant = await commands.createTenant();
  const stranger = await commands.createTenant();
  for (const accountId of [999_999, stranger.accountId]) {
    const token = issueUserGroupToken(accountId);
    await importRecords(tenant, [{ provided_id: `from ${accountId}`, name: "Moved", token }]);
    expect(await tenant.viewer(token)).toMatchObject(named("Moved"));
    expect(await tenant.call("POST", { current_token: token })).toMatchObject({ status: 200 });
  }
  const mistyped = `${issueUserGroupToken(999_999).slice(0, -1)}_`;
  const end = await importRecords(tenant, [{ provided_id: "typo", name: "Typo", token: mistyped }]);
  expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining("an invalid checksum") });
});

test("a token identifies one group only, across environments and accounts", async () => {
  const tenant = await commands.createTenant();
  const token = foreignToken();
  await importRecords(tenant, [{ provided_id: "first", name: "First", token }]);
  const others = [tenant, await commands.otherEnvironment(tenant), await commands.createTenant()];
  for (const other of others) {
    const end = await importRecords(other, [
      { provided_id: "second", name: "Second", token },
      { provided_id: "third", name: "Third" },
    ]);
    expect(countsOf(end)["groups"]?.at(-1)).toBe(1);
    expect(end.stderr).toMatch(/:1: token_taken: token: is the token of another user group\.\n$/);
    expect(await other.read("second")).toBeNull();
  }
  expect(await tenant.viewer(token)).toMatchObject(named("First"));
});

test("a token already issued to a group of another account is rejected", async () => {
  const otherTenant = await commands.createTenant("Testing");
  const made = await otherTenant.call("GET", { user_group_id: "theirs", name: "Theirs" });
  const tenant = await commands.createTenant();
  const records = [
    { provided_id: "thief", name: "Thief", token: userGroupOf(made).token },
    // Account numbers this high do not exist here.
    { provided_id: "far", name: "Far", token: issueUserGroupToken(2 ** 31) },
    { provided_id: "fine", name: "Fine" },
  ];
  const end = await importRecords(tenant, records);
  expect(countsOf(end)).toEqual({ groups: [3, 1, 0, 0, 2] });
  expect(end.stderr).toMatch(/:1: token_taken: token: /);
  expect(await tenant.viewer(issueUserGroupToken(2 ** 31))).toMatchObject(refused);
  expect(await otherTenant.viewer(userGroupOf(made).token)).toMatchObject(named("Theirs"));
});

test("a token that groups of two tenants have, which an import prevents, identifies neither", async () => {
  const tenant = await commands.createTenant();
  const token = foreignToken();
  await importRecords(tenant, [{ provided_id: "first", name: "First", token }]);
  for (const other of [await commands.otherEnvironment(tenant), await commands.createTenant()]) {
    const tokenOfSecond = foreignToken();
    await importRecords(other, [{ provided_id: "second", name: "Second", token: tokenOfSecond }]);
    expect(await tenant.viewer(token)).toMatchObject(named("First"));
    await setPreviousToken(other, "second", token);
    await commands.service.query(
      "UPDATE brought_token SET lookup = $3 WHERE account_id = $1 AND environment = $2",
      [other.accountId, other.environment, new TokenVault([commands.encryptionKey]).lookups(token)[0]],
    );
    expect(await tenant.viewer(token)).toMatchObject(refused);
    expect(await other.call("DELETE", { current_token: tokenOfSecond })).toMatchObject({ status: 200 });
  }
});

test("a token in its grace period is rejected, except for its own group", async () => {
  const tenant = await commands.createTenant();
  const first = foreignToken();
  await importRecords(tenant, [{ provided_id: "acme", name: "Acme", token: first }]);
  await tenant.call("POST", { current_token: first });
  await setPreviousToken(tenant, "acme", first);
  expect(await tenant.viewer(first)).toMatchObject(named("Acme"));
  const heir = [{ provided_id: "heir", name: "Heir", token: first }];
  expect(await importRecords(tenant, heir)).toMatchObject({
    stderr: expect.stringMatching(/:1: token_taken: token: /),
  });
  expect(await importRecords(tenant, [{ provided_id: "acme", token: first }], true)).toMatchObject({
    code: 0,
  });
  expect(await tenant.read("acme")).toMatchObject({ token: first });
});

test("a token belongs to the group that has it now, not to a former one", async () => {
  const tenant = await commands.createTenant();
  const token = foreignToken();
  await importRecords(tenant, [{ provided_id: "heir", name: "Heir", token }]);
  await tenant.call("GET", { user_group_id: "former", name: "Former" });
  await setPreviousToken(tenant, "former", token);
  expect(await tenant.viewer(token)).toMatchObject(named("Heir"));
  expect(await tenant.call("POST", { current_token: token })).toMatchObject({ status: 200 });
});

test("a group keeps its own token unless overwriting is requested", async () => {
  const tenant = await commands.createTenant();
  const [old, given] = [foreignToken(), foreignToken()];
  await importRecords(tenant, [{ provided_id: "acme", name: "Acme", token: old }]);
  const records = [{ provided_id: "acme", name: "New name", token: given }];
  const kept = await importRecords(tenant, records);
  expect(kept).toMatchObject({ code: 1, stderr: expect.stringContaining("token_differs: token:") });
  expect(await tenant.read("acme")).toMatchObject({ name: "Acme", token: old, version: 1 });
  expect(await importRecords(tenant, records, true)).toMatchObject({ code: 0 });
  expect(await tenant.read("acme")).toMatchObject({ name: "New name", token: given });
  expect(await tenant.viewer(old)).toMatchObject(refused);
  expect(await tenant.viewer(given)).toMatchObject(named("New name"));
  // The file now matches the stored token.
  expect(countsOf(await importRecords(tenant, records, true))).toEqual({ groups: [1, 0, 0, 1, 0] });
});

test("a running import encrypts under the account's new key", async () => {
  const { service, spareKey } = commands;
  const tenant = await commands.createTenant();
  const keyOf = (key: Buffer) => new TokenVault([key]).primaryKeyId;
  const rowKeyOf = (key: Buffer) => new TokenVault([key]).primaryTokenKeyId;
  const setKey = (keyId: string) =>
    service.query("UPDATE account SET token_key_id = $2 WHERE id = $1", [tenant.accountId, keyId]);
  const lines = (from: number, to: number) => {
    const numbers = Array.from({ length: to - from }, (_, n) => n + from);
    return Buffer.from(toLines(numbers.map((n) => ({ provided_id: `group ${n}`, name: "Group" }))));
  };
  const keys = () =>
    service.query(
      "SELECT token_key_id, count(*)::integer FROM user_group WHERE account_id = $1 GROUP BY 1 ORDER BY 2",
      [tenant.accountId],
    );
  async function* input() {
    yield lines(0, 1000);
    while ((await keys()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await setKey(keyOf(spareKey));
    yield lines(1000, 1003);
  }
  expect(await tenant.import({ groups: "-", format: "jsonl" }, input())).toMatchObject({ code: 0 });
  expect(await keys()).toEqual([
    { token_key_id: rowKeyOf(spareKey), count: 3 },
    { token_key_id: rowKeyOf(commands.encryptionKey), count: 1000 },
  ]);
  async function* late() {
    await setKey(keyOf(randomBytes(32)));
    yield lines(1003, 1004);
  }
  const end = await tenant.import({ groups: "-", format: "jsonl" }, late());
  expect(end).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("Request ID in the audit log: import "),
  });
  expect(end.stderr).toMatch(/which is not in ENCRYPTION_KEYS/);
  await setKey(keyOf(commands.encryptionKey));
});

test("replacing a token ends the group's embed sessions, and importing the same token does not", async () => {
  const tenant = await commands.createTenant();
  const record = { provided_id: "embedded", name: "Embedded", token: foreignToken() };
  expect(await importRecords(tenant, [record])).toMatchObject({ code: 0 });
  const { service } = commands;
  const { token } = await createSession(service, tenant.key, { user_group_id: "embedded" });
  await importRecords(tenant, [{ ...record, name: "New" }], true);
  expect((await readViewer(service, token)).status).toBe(200);
  await importRecords(tenant, [{ ...record, token: foreignToken() }], true);
  expect(await readViewer(service, token)).toMatchObject(refused);
});

// This test comes last: the commands do not know the key.
test("an imported token is found after re-encryption under another key", async () => {
  const { service } = commands;
  const tenant = await commands.createTenant();
  const token = foreignToken();
  await importRecords(tenant, [{ provided_id: "encrypted", name: "Encrypted", token }]);
  const vault = new TokenVault([randomBytes(32), commands.encryptionKey, commands.spareKey]);
  const owner = { target: service.owner, poolSize: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 10_000 };
  const database = await Database.connect(owner);
  await new TokenReencryption(database, vault).run(() => undefined);
  await database.close();
  const places = "SELECT lookup FROM brought_token WHERE account_id = $1";
  const [row] = await service.query(places, [tenant.accountId]);
  expect(row.lookup).toEqual(vault.lookup(token, vault.primaryKeyId));
});
