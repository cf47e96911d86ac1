import { expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";

const graphql = useGraphql();
const KEY = "{ id name hint environment scope createdAt expiresAt revokedAt lastUsedAt }";
const CREATE = `mutation ($input: CreateApiKeyInput!) {
  createApiKey(input: $input) { secret apiKey ${KEY} userErrors { code message field } }
}`;
const REVOKE = `mutation ($input: RevokeApiKeyInput!) {
  revokeApiKey(input: $input) { apiKey ${KEY} userErrors { code message field } }
}`;
const LIST = `{ apiKeys(first: 100) { totalCount nodes ${KEY} } }`;

test("an admin creates a key for its own environment, and the key works until it is revoked", async () => {
  const { run, call, keys } = graphql();
  for (const [key, environment] of [
    [keys.admin, "CUSTOMER"],
    [keys.testing, "TESTING"],
  ] as const) {
    const { createApiKey } = await run(CREATE, { input: { name: "ci", scope: "WRITE" } }, key);
    const { secret, apiKey, userErrors } = createApiKey;
    expect(userErrors).toEqual([]);
    expect(apiKey).toMatchObject({
      name: "ci",
      scope: "WRITE",
      environment,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(secret.startsWith(apiKey.hint.split("…")[0])).toBe(true);
    expect(secret.endsWith(apiKey.hint.split("…")[1])).toBe(true);
    expect(await run("{ viewer { apiKey { scope } environment } }", {}, secret)).toEqual({
      viewer: { apiKey: { scope: "WRITE" }, environment },
    });
    const revoke = async () => (await run(REVOKE, { input: { id: apiKey.id } }, key)).revokeApiKey;
    const revoked = await revoke();
    expect(revoked).toMatchObject({
      apiKey: { id: apiKey.id, revokedAt: expect.any(String) },
      userErrors: [],
    });
    expect((await revoke()).apiKey.revokedAt).toBe(revoked.apiKey.revokedAt);
    expect((await call("{ viewer { environment } }", {}, secret)).status).toBe(401);
  }
});

test("a key can expire, at a time in the future", async () => {
  const { run } = graphql();
  const create = async (expiresAt: Date) =>
    (await run(CREATE, { input: { name: "short", scope: "READ", expiresAt } })).createApiKey;
  const soon = new Date(Date.now() + 60_000);
  expect((await create(soon)).apiKey.expiresAt).toBe(soon.toISOString());
  expect(await create(new Date(Date.now() - 1))).toEqual({
    secret: null,
    apiKey: null,
    userErrors: [
      { code: "INVALID_FIELD", message: "expiresAt must be in the future.", field: ["expiresAt"] },
    ],
  });
});

test("the list shows the environment's keys and no secret", async () => {
  const { run, call, keys, strangerKey } = graphql();
  const { createApiKey } = await run(CREATE, { input: { name: "listed", scope: "ADMIN" } });
  const { apiKeys } = await run(LIST);
  expect(apiKeys.nodes).toContainEqual(createApiKey.apiKey);
  expect(apiKeys.totalCount).toBe(apiKeys.nodes.length);
  expect(apiKeys.nodes.every(({ environment }: { environment: string }) => environment === "CUSTOMER")).toBe(
    true,
  );
  const text = JSON.stringify((await call(LIST)).body);
  for (const secret of [createApiKey.secret, keys.admin, keys.read])
    expect(text).not.toContain(secret.slice(15, -6));
  expect((await run(`{ node(id: "${createApiKey.apiKey.id}") { ... on ApiKey { name } } }`)).node).toEqual({
    name: "listed",
  });

  for (const key of [strangerKey, keys.testing]) {
    const other = await run(LIST, {}, key);
    expect(other.apiKeys.nodes).not.toContainEqual(expect.objectContaining({ id: createApiKey.apiKey.id }));
    expect(
      (await run(REVOKE, { input: { id: createApiKey.apiKey.id } }, key)).revokeApiKey.userErrors,
    ).toEqual([{ code: "API_KEY_NOT_FOUND", message: "No API key has this ID.", field: ["id"] }]);
  }
  expect(await run("{ viewer { environment } }", {}, createApiKey.secret)).toEqual({
    viewer: { environment: "CUSTOMER" },
  });
});

test("only admins manage keys", async () => {
  const { run, call, account } = graphql();
  const { secret } = await account.createKey({ scope: "write" });
  const { createApiKey } = await run(CREATE, { input: { name: "x", scope: "READ" } });
  for (const [query, variables] of [
    [LIST, {}],
    [CREATE, { input: { name: "x", scope: "ADMIN" } }],
    [REVOKE, { input: { id: createApiKey.apiKey.id } }],
  ] as const) {
    expect(await call(query, variables, secret)).toMatchObject({
      status: 403,
      body: {
        errors: [
          {
            message: "This API key cannot manage the account. Use an API key with `admin` scope.",
            extensions: { code: "FORBIDDEN" },
          },
        ],
      },
    });
  }
  expect((await run(`{ node(id: "${createApiKey.apiKey.id}") { id } }`, {}, secret)).node).toBeNull();
});

test("commands list one account's keys without reading those of others", async () => {
  const { service, account } = graphql();
  const { accounts } = service.services;
  const all = await accounts.listKeys();
  const ofThisAccount = all.filter(({ accountName }) => accountName === account.name);
  expect(ofThisAccount.length).toBeGreaterThan(1);
  expect(ofThisAccount.length).toBeLessThan(all.length);
  service.statements.length = 0;
  expect(await accounts.listKeys(account.name)).toEqual(ofThisAccount);
  expect(service.statements).toEqual([expect.stringContaining("WHERE account.name = $1")]);
  expect(await accounts.listKeys("no such account")).toEqual([]);
});
