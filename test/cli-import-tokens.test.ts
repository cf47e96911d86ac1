import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TokenVault } from "../src/domain/token-vault.js";
import { issueUserGroupToken } from "../src/domain/user-group-token.js";
import { Database } from "../src/persistence/database.js";
import { TokenReencryption } from "../src/services/token-reencryption.js";
import { userGroupOf } from "./support/rest-fixture.js";
import {
  countsOf,
  foreignToken,
  readGroup,
  startTransferCommands,
  type TransferCommands,
  type TransferTenant,
  toLines,
} from "./support/transfer-commands.js";

let commands: TransferCommands;
beforeAll(async () => {
  commands = await startTransferCommands();
});
afterAll(() => commands.close());

let files = 0;
async function bring(tenant: TransferTenant, records: readonly object[], replaceTokens = false) {
  files += 1;
  const groups = await commands.write(`groups-${files}.jsonl`, toLines(records));
  return tenant.import({ groups, replaceTokens });
}

const named = (name: string) => ({ status: 200, body: { data: { viewer: { userGroup: { name } } } } });
const refused = { status: 401 };

test("a token from elsewhere is the group's token in every way, until it is rotated", async () => {
  const tenant = await commands.createTenant("Testing");
  const token = foreignToken();
  await bring(tenant, [{ provided_id: "acme", name: "Acme", token }]);
  expect(await tenant.viewer(token)).toMatchObject(named("Acme"));
  const found = await tenant.call("GET", { user_group_id: "acme" });
  expect(found.body).toMatchObject({ success: 1, new_user_group: false, user_group: { token } });
  const rotated = await tenant.call("POST", { current_token: token });
  expect(rotated.status).toBe(200);
  expect(await tenant.viewer(token)).toMatchObject(refused);
  expect(await tenant.call("POST", { current_token: token })).toMatchObject({ status: 404 });
  expect(await tenant.viewer(userGroupOf(rotated).token)).toMatchObject(named("Acme"));
  // Nobody has it now.
  expect(countsOf(await bring(tenant, [{ provided_id: "heir", name: "Heir", token }]))).toEqual({
    groups: [1, 1, 0, 0, 0],
  });
  expect(await tenant.viewer(token)).toMatchObject(named("Heir"));
  expect(await tenant.call("DELETE", { current_token: token })).toMatchObject({ status: 200 });
  expect(await tenant.viewer(token)).toMatchObject(refused);
});

test("a token that another installation of ours has issued names another account, and is found all the same", async () => {
  const tenant = await commands.createTenant();
  const stranger = await commands.createTenant();
  for (const accountId of [999_999, stranger.accountId]) {
    const token = issueUserGroupToken(accountId);
    await bring(tenant, [{ provided_id: `from ${accountId}`, name: "Moved", token }]);
    expect(await tenant.viewer(token)).toMatchObject(named("Moved"));
    expect(await tenant.call("POST", { current_token: token })).toMatchObject({ status: 200 });
  }
  const mistyped = `${issueUserGroupToken(999_999).slice(0, -1)}_`;
  const end = await bring(tenant, [{ provided_id: "typo", name: "Typo", token: mistyped }]);
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining("its checksum is wrong") });
});

test("a token leads to one group only, in both environments and all accounts", async () => {
  const tenant = await commands.createTenant();
  const token = foreignToken();
  await bring(tenant, [{ provided_id: "first", name: "First", token }]);
  const others = [tenant, await tenant.other(), await commands.createTenant()];
  for (const other of others) {
    const end = await bring(other, [
      { provided_id: "second", name: "Second", token },
      { provided_id: "third", name: "Third" },
    ]);
    expect(countsOf(end)["groups"]?.at(-1)).toBe(1);
    expect(end.stderr).toMatch(/:1: token_taken: token: Another user group has this token\.\n$/);
    expect(await readGroup(commands, other, "second")).toBeNull();
  }
  expect(await tenant.viewer(token)).toMatchObject(named("First"));
});

test("a group keeps another token that it has, unless it is told otherwise", async () => {
  const tenant = await commands.createTenant();
  const [old, given] = [foreignToken(), foreignToken()];
  await bring(tenant, [{ provided_id: "acme", name: "Acme", token: old }]);
  const records = [{ provided_id: "acme", name: "New name", token: given }];
  const kept = await bring(tenant, records);
  expect(kept).toMatchObject({ code: 2, stderr: expect.stringContaining("token_differs: token:") });
  expect(await readGroup(commands, tenant, "acme")).toMatchObject({ name: "Acme", token: old, version: 1 });
  expect(await bring(tenant, records, true)).toMatchObject({ code: 0 });
  expect(await readGroup(commands, tenant, "acme")).toMatchObject({ name: "New name", token: given });
  expect(await tenant.viewer(old)).toMatchObject(refused);
  expect(await tenant.viewer(given)).toMatchObject(named("New name"));
  // As it is now, the file says nothing new.
  expect(countsOf(await bring(tenant, records, true))).toEqual({ groups: [1, 0, 0, 1, 0] });
});

test("a token from elsewhere is found after it was sealed under another key", async () => {
  const { service } = commands;
  const tenant = await commands.createTenant();
  const token = foreignToken();
  await bring(tenant, [{ provided_id: "sealed", name: "Sealed", token }]);
  const vault = new TokenVault([randomBytes(32), commands.encryptionKey]);
  const owner = { target: service.owner, poolSize: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 10_000 };
  const database = await Database.connect(owner);
  await new TokenReencryption(database, vault).run(() => undefined);
  await database.close();
  const places = "SELECT lookup FROM brought_token WHERE account_id = $1";
  const [row] = await service.query(places, [tenant.accountId]);
  expect(row.lookup).toEqual(vault.lookup(token, vault.primaryKeyId));
});
