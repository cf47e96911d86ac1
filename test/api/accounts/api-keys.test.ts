import { expect, test } from "vitest";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";

const { account, call, keys, mutate, run, service, strangerKey } = await startGraphql();
const KEY = "{ id name hint environment scope createdAt expiresAt revokedAt lastUsedAt }";
const LIST = `{ apiKeys(first: 100) { totalCount nodes ${KEY} } }`;

const create = (input: object, key?: string): Promise<Data> =>
  mutate("createApiKey", input, `secret apiKey ${KEY}`, key);
const revoke = (id: string, key?: string): Promise<Data> =>
  mutate("revokeApiKey", { id }, `apiKey ${KEY}`, key);

test.each([
  ["CUSTOMER", "admin"],
  ["TESTING", "testing"],
] as const)("an admin creates a key for %s, which works until it is revoked", async (environment, admin) => {
  const key = keys[admin];
  const { secret, apiKey, userErrors } = await create({ name: "ci", scope: "WRITE" }, key);
  const [start = "", end = ""] = apiKey.hint.split("…");
  expect(userErrors).toEqual([]);
  expect(apiKey).toEqual({
    id: expect.any(String),
    name: "ci",
    hint: expect.any(String),
    scope: "WRITE",
    environment,
    createdAt: expect.any(String),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  });
  expect([secret.startsWith(start), secret.endsWith(end)]).toEqual([true, true]);
  const viewer = "{ viewer { environment apiKey { scope } } }";
  expect(await run(viewer, {}, secret)).toEqual({ viewer: { environment, apiKey: { scope: "WRITE" } } });
  const revoked = await revoke(apiKey.id, key);
  expect(revoked).toMatchObject({
    apiKey: { id: apiKey.id, revokedAt: expect.any(String) },
    userErrors: [],
  });
  expect((await revoke(apiKey.id, key)).apiKey.revokedAt).toBe(revoked.apiKey.revokedAt);
  expect((await call(viewer, {}, secret)).status).toBe(401);
});

test("a key can expire, at a time in the future", async () => {
  const short = { name: "short", scope: "READ" };
  const soon = new Date(Date.now() + 60_000);
  expect((await create({ ...short, expiresAt: soon })).apiKey.expiresAt).toBe(soon.toISOString());
  expect(await create({ ...short, expiresAt: new Date(Date.now() - 1) })).toEqual({
    secret: null,
    apiKey: null,
    userErrors: [
      { code: "INVALID_FIELD", message: "expiresAt must be in the future.", field: ["expiresAt"] },
    ],
  });
});

test("the list shows the environment's keys and no secret", async () => {
  const { secret, apiKey } = await create({ name: "listed", scope: "ADMIN" });
  const { apiKeys } = await run(LIST);
  expect(apiKeys.nodes).toContainEqual(apiKey);
  expect(apiKeys.totalCount).toBe(apiKeys.nodes.length);
  expect(new Set(apiKeys.nodes.map(({ environment }: Data) => environment))).toEqual(new Set(["CUSTOMER"]));
  for (const each of [secret, ...Object.values(keys)])
    expect(JSON.stringify(apiKeys)).not.toContain(each.slice(15, -6));
  expect(await run(`{ node(id: "${apiKey.id}") { ... on ApiKey { name } } }`)).toEqual({
    node: { name: "listed" },
  });
  for (const key of [strangerKey, keys.testing]) {
    const ids = (await run(LIST, {}, key)).apiKeys.nodes.map(({ id }: Data) => id);
    expect(ids).not.toContain(apiKey.id);
    const missing = { code: "API_KEY_NOT_FOUND", message: "No API key has this ID.", field: ["id"] };
    expect(await revoke(apiKey.id, key)).toEqual({ apiKey: null, userErrors: [missing] });
  }
  expect((await run("{ viewer { environment } }", {}, secret)).viewer.environment).toBe("CUSTOMER");
});

test("a key without admin scope learns what it needs to manage keys", async () => {
  expect(await call(LIST, {}, keys.write)).toMatchObject({
    status: 403,
    body: {
      errors: [{ message: "This API key cannot manage the account. Use an API key with `admin` scope." }],
    },
  });
});

test("commands list one account's keys without reading those of others", async () => {
  const { accounts } = service.services;
  const all = await accounts.listKeys();
  const ofThisAccount = all.filter(({ accountName }) => accountName === account.name);
  expect(ofThisAccount.length).toBeGreaterThan(1);
  expect(ofThisAccount.length).toBeLessThan(all.length);
  service.statements.length = 0;
  expect(await accounts.listKeys(account.name)).toEqual(ofThisAccount);
  expect(service.statements).toEqual([
    expect.stringMatching(/FROM "account" .*"name" = \$1/),
    expect.stringMatching(/FROM "api_key" .*"account_id" = ANY\(\$1\)/),
  ]);
  expect(await accounts.listKeys("no such account")).toEqual([]);
});
