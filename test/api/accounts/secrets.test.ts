import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashApiKey } from "../../../src/domain/accounts/api-key.js";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";
import type { Database } from "../../../src/persistence/database/database.js";
import { TokenReencryption } from "../../../src/services/transfer/token-reencryption.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { connectDatabase } from "../../support/postgres/postgres-setup.js";
import { callRest } from "../../support/rest/rest-client.js";
import { userGroupOf } from "../../support/rest/rest-fixture.js";
import { findSecrets } from "../../support/secrets/secret-search.js";

const encryptionKey = randomBytes(32);
const vault = new TokenVault([encryptionKey]);
const graphql = await startGraphql({ encryptionKey });
const { account, call, keys, rest, service } = graphql;

describe("a misplaced token is neither returned nor logged:", () => {
  const groups = (page: string) => `{ userGroups(${page}) { nodes { id } } }`;
  const queries: Record<string, (token: string) => readonly [query: string, variables?: object]> = {
    "the name of a field": (token) => [`{ ${token} }`],
    "a literal of another type": (token) => [groups(`first: "${token}"`)],
    "a value of an enumeration": (token) => [groups(`orderBy: { field: ${token} }`)],
    "where a name must be": (token) => [groups(`first: 1, "${token}"`)],
    "a variable": (token) => [`query ($n: Int) ${groups("first: $n")}`, { n: token }],
    "the name of a variable's field": (token) => [
      "query ($by: UserGroupBy!) { userGroup(by: $by) { id } }",
      { by: { [token]: 1 } },
    ],
    "the id of a data source": (token) => [
      `mutation { createUserGroup(input: {
        providedId: "x", name: "x", mapping: [{ schemaId: "${token}", dataSource: "${token}" }]
      }) { userErrors { message field } } }`,
    ],
  };
  test.each(Object.keys(queries))("%s", async (name) => {
    const [query, variables = {}] = queries[name]?.(issueUserGroupToken(1)) ?? [""];
    const { body } = await call(query, { ...variables });
    const subscription = query.replace(/^(?:query|mutation)?/, "subscription");
    const refused = await openEventStream(service.url, `Token ${keys.admin}`, subscription, variables);
    expect(JSON.stringify(body)).toContain("ugt_…");
    expect(findSecrets(JSON.stringify([body, refused.body]), [])).toEqual([]);
  });

  const requests: Record<string, (token: string) => { path?: string; id?: string; body?: object }> = {
    "a path": (token) => ({ path: `/api/user/${token}` }),
    "the id of the request": (token) => ({ id: token }),
    "the id of a schema": (token) => ({ body: { name: "New", mapping: { [token]: 1 } } }),
    "a reference to a data source": (token) => ({ body: { name: "New", mapping: { sales: token } } }),
  };
  test.each(Object.keys(requests))("%s", async (name) => {
    const { path = "/api/user", id, body } = requests[name]?.(issueUserGroupToken(1)) ?? {};
    const before = service.log.length;
    const reply = await callRest(
      `${service.url}${path}`,
      "GET",
      keys.admin,
      { user_group_id: "new", ...body },
      { "x-request-id": id },
    );
    expect(reply.body).toMatchObject({ success: 0 });
    const logged = service.log.slice(before);
    expect(logged).not.toEqual([]);
    expect(findSecrets(JSON.stringify([reply, logged]), [])).toEqual([]);
  });
});

test("keys are stored as hashes, tokens are encrypted and found by a keyed hash", async () => {
  const body = { user_group_id: "encrypted", name: "Encrypted" };
  const { token } = userGroupOf(await rest("GET", body));
  const [row] = await service.query(
    "SELECT token_lookup, token_ciphertext, token_key_id FROM user_group WHERE provided_id = 'encrypted'",
  );
  // Nonce, ciphertext of the token's length, tag.
  expect(row.token_ciphertext).toHaveLength(12 + token.length + 16);
  expect(row.token_lookup).toHaveLength(32);
  expect(row.token_lookup).not.toEqual(hashApiKey(token));
  const hashes: { hash: Buffer }[] = await service.query("SELECT hash FROM api_key");
  expect(hashes.map(({ hash }) => hash.toString("hex"))).toContain(hashApiKey(keys.admin).toString("hex"));
});

test("the time of last use is recorded without delaying a request", async () => {
  const { secret, id } = await account.createKey();
  const lastUsed = async () => {
    const keys = await service.services.accounts.listKeys(account.name);
    return keys.find((key) => key.id === id)?.lastUsedAt;
  };
  expect(await lastUsed()).toBeNull();
  service.statements.length = 0;
  await rest("GET", { user_group_id: "acme" }, secret);
  expect(service.statements.filter((text) => text.includes("last_used_at"))).toEqual([]);
  await service.services.keyUsage.flush();
  expect(await lastUsed()).toBeInstanceOf(Date);
});

test("the time of last use only moves forward", async () => {
  const { secret, id } = await account.createKey();
  const useFrom = async (interval: string) => {
    await service.query("UPDATE api_key SET last_used_at = now() + $2::interval WHERE id = $1", [
      id,
      interval,
    ]);
    await rest("GET", { user_group_id: "acme" }, secret);
    await service.services.keyUsage.flush();
    const [row] = await service.query(
      `SELECT last_used_at > now() + interval '30 minutes' AS later,
        last_used_at > now() - interval '30 minutes' AS recent FROM api_key WHERE id = $1`,
      [id],
    );
    return row;
  };
  expect(await useFrom("-1 hour")).toEqual({ later: false, recent: true });
  // Another process may have written a later use first.
  expect(await useFrom("1 hour")).toEqual({ later: true, recent: true });
});

type Format = "current" | "former";

/** Creates a group whose token is stored in a format; the former one binds the ciphertext to the group's ID. */
async function create(providedId: string, format: Format): Promise<string> {
  const { token } = await createUserGroup(graphql, providedId);
  if (format === "current") return token;
  const { query } = service;
  const [{ id, accountId }] = await query(
    'SELECT id, account_id AS "accountId" FROM user_group WHERE provided_id = $1',
    [providedId],
  );
  const { keyId, ciphertext } = vault.encrypt(token, { accountId, id }, vault.primaryKeyId);
  await query("UPDATE user_group SET token_key_id = $2, token_ciphertext = $3 WHERE id = $1", [
    id,
    keyId,
    ciphertext,
  ]);
  return token;
}

async function keyIdOf(providedId: string): Promise<string> {
  const rows = await service.query('SELECT token_key_id AS "keyId" FROM user_group WHERE provided_id = $1', [
    providedId,
  ]);
  return rows[0].keyId;
}

test("a token in the former format can be read and is replaced by one in the current format", async () => {
  const token = await create("rotated", "former");
  expect(await keyIdOf("rotated")).toBe(vault.primaryKeyId);
  expect(userGroupOf(await rest("GET", { user_group_id: "rotated" })).token).toBe(token);
  const rotated = userGroupOf(await rest("POST", { current_token: token })).token;
  expect(await keyIdOf("rotated")).toBe(vault.primaryTokenKeyId);
  expect(userGroupOf(await rest("GET", { user_group_id: "rotated" })).token).toBe(rotated);
});

describe("re-encryption", () => {
  let database: Database;
  beforeAll(async () => {
    const { owner: target } = service;
    database = await connectDatabase(target, 1);
  });
  afterAll(() => database.close());

  test("converts tokens in the former format once without changing them", async () => {
    const token = await create("converted", "former");
    const run = () => new TokenReencryption(database, vault).run(() => undefined);
    expect(await run()).toBe(1);
    expect(await run()).toBe(0);
    expect(await keyIdOf("converted")).toBe(vault.primaryTokenKeyId);
    expect(userGroupOf(await rest("GET", { user_group_id: "converted" })).token).toBe(token);
  });
});

describe("a ciphertext that was copied from another row", () => {
  const formats: readonly Format[] = ["current", "former"];
  test.each(formats.flatMap((from) => formats.map((to) => [from, to] as const)))(
    "from one in the %s format to one in the %s format is not decrypted",
    async (from, to) => {
      const [victim, thief] = [`victim-${from}-${to}`, `thief-${from}-${to}`];
      await create(victim, from);
      await create(thief, to);
      const { query } = service;
      for (const column of ["token_ciphertext", "token_key_id"]) {
        await query(
          `UPDATE user_group AS thief SET ${column} = victim.${column} FROM user_group AS victim
            WHERE victim.account_id = thief.account_id AND victim.provided_id = $1 AND thief.provided_id = $2`,
          [victim, thief],
        );
        const { status, body } = await rest("GET", { user_group_id: thief });
        expect([column, status]).toEqual([column, 500]);
        expect(JSON.stringify(body)).not.toContain("ugt_");
      }
    },
  );
});
