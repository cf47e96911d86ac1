import { describe, expect, test } from "vitest";
import { hashApiKey } from "../../../src/domain/accounts/api-key.js";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { userGroupOf } from "../../support/rest/rest-fixture.js";
import { findSecrets } from "../../support/secrets/secret-search.js";

const graphql = await startGraphql();
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

test("a token that cannot be decrypted is an internal error, and the log names its user group and a remedy", async () => {
  const body = { user_group_id: "damaged", name: "Damaged" };
  await rest("GET", body);
  const [{ id }] = await service.query(
    "UPDATE user_group SET token_ciphertext = set_byte(token_ciphertext, 20, 255 - get_byte(token_ciphertext, 20)) WHERE provided_id = 'damaged' RETURNING id",
  );
  service.log.length = 0;
  for (const method of ["GET", "PUT"])
    expect(await rest(method, { ...body, name: "New" })).toMatchObject({
      status: 500,
      body: { error: { code: "internal", message: "Something went wrong on our side." } },
    });
  const errors = service.log.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
  const message = `The token of user group ${id} of account ${account.accountId} cannot be decrypted`;
  expect(errors.map(({ err }) => err.message)).toEqual([
    expect.stringContaining(message),
    expect.stringContaining(message),
  ]);
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
  await service.services.usage.flush();
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
    await service.services.usage.flush();
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

test("a ciphertext that was copied from another row is not decrypted", async () => {
  for (const providedId of ["victim", "thief"]) await createUserGroup(graphql, providedId);
  for (const column of ["token_ciphertext", "token_key_id"]) {
    await service.query(
      `UPDATE user_group AS thief SET ${column} = victim.${column} FROM user_group AS victim
        WHERE victim.account_id = thief.account_id AND victim.provided_id = 'victim' AND thief.provided_id = 'thief'`,
    );
    const { status, body } = await rest("GET", { user_group_id: "thief" });
    expect([column, status]).toEqual([column, 500]);
    expect(JSON.stringify(body)).not.toContain("ugt_");
  }
});
