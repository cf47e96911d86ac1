import { beforeAll, describe, expect, test } from "vitest";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { account, call, run, service } = graphql;

/** Reads all pages of a list, two items at a time. @returns the items' values of a field */
async function readAll(
  list: string,
  field: string,
  args: Readonly<Record<string, unknown>>,
): Promise<unknown[]> {
  const type = { apiKeys: "ApiKey", siteConfigs: "SiteConfig", webhookEndpoints: "WebhookEndpoint" }[list];
  const query = `query ($filter: ${type}Filter, $orderBy: ${type}Order, $after: String) {
    ${list}(first: 2, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount nodes { ${field} } pageInfo { hasNextPage endCursor }
    }
  }`;
  const found: unknown[] = [];
  let after: string | null = null;
  do {
    const page: Data = (await run(query, { ...args, after }))[list];
    found.push(...page.nodes.map((node: Readonly<Record<string, unknown>>) => node[field]));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    if (after === null) expect(page.totalCount).toBe(found.length);
  } while (after !== null);
  return found;
}

beforeAll(async () => {
  for (const [name, scope] of [
    ["b key", "READ"],
    ["A key", "WRITE"],
    ["a key", "READ"],
    ["a key", "ADMIN"],
  ]) {
    await run(
      `mutation { createApiKey(input: { name: "${name}", scope: ${scope} }) { userErrors { code } } }`,
    );
  }
  await service.query(
    `UPDATE api_key SET revoked_at = now() WHERE account_id = ${account.accountId} AND name = 'b key'`,
  );
  await service.query(`UPDATE api_key SET expires_at = now() - interval '1 second'
    WHERE account_id = ${account.accountId} AND name = 'A key'`);
  await service.query(`UPDATE api_key SET last_used_at = (timestamp '2024-01-01' + id * interval '1 day') AT TIME ZONE 'UTC'
    WHERE account_id = ${account.accountId} AND name IN ('b key', 'A key')`);
  for (const [index, name] of ["b", "c", "a"].entries()) {
    await run(
      `mutation { createWebhookEndpoint(input: { name: "${name}", url: "https://93.184.216.34/Hook_${index}" }) { userErrors { code } } }`,
    );
  }
  await service.query(
    `UPDATE webhook_endpoint SET disabled_at = now(), disabled_reason = 'admin' WHERE name = 'c'`,
  );
  for (const site of ["docs-b", "docs-a", "help", "docs-c"])
    await changeSite(graphql, "put", { site, document: goodSite });
  await service.query(`UPDATE site_config SET updated_at = '2024-01-01' WHERE site = 'help'`);
});

describe("API keys", () => {
  const named = { nameContains: "A KEY" };

  test.each([
    [{}, ["A key", "a key", "a key"]],
    [{ orderBy: { field: "NAME" } }, ["A key", "a key", "a key"]],
    [{ orderBy: { field: "NAME", direction: "DESC" } }, ["a key", "a key", "A key"]],
  ])("are ordered by %j", async (order, names) => {
    expect(await readAll("apiKeys", "name", { filter: named, ...order })).toEqual(names);
  });

  test("are ordered by their last use, those never used first", async () => {
    const filter = { nameContains: " key" };
    const names = await readAll("apiKeys", "name", { filter, orderBy: { field: "LAST_USED_AT" } });
    expect(names).toEqual(["a key", "a key", "b key", "A key"]);
    const reversed = await readAll("apiKeys", "name", {
      filter,
      orderBy: { field: "LAST_USED_AT", direction: "DESC" },
    });
    expect(reversed).toEqual(names.toReversed());
  });

  test.each([
    [{ isActive: true, nameContains: "key" }, ["a key", "a key"]],
    [{ isActive: false }, ["b key", "A key"]],
    [{ scopes: ["READ"], nameContains: "key" }, ["b key", "a key"]],
    [{ scopes: ["WRITE", "ADMIN"], nameContains: "key" }, ["A key", "a key"]],
    [{ scopes: [] }, []],
    [{ nameContains: "_" }, []],
    [{ isActive: null, scopes: null, nameContains: "b k" }, ["b key"]],
  ])("are filtered by %j", async (filter, names) => {
    expect(await readAll("apiKeys", "name", { filter })).toEqual(names);
  });
});

describe("webhook endpoints", () => {
  test.each([
    [{}, ["b", "c", "a"]],
    [{ orderBy: { field: "CREATED_AT", direction: "DESC" } }, ["a", "c", "b"]],
    [{ orderBy: { field: "NAME" } }, ["a", "b", "c"]],
    [{ orderBy: { field: "NAME", direction: "DESC" } }, ["c", "b", "a"]],
    [{ filter: { isEnabled: true } }, ["b", "a"]],
    [{ filter: { isEnabled: false } }, ["c"]],
    [{ filter: { urlContains: "hook_1" } }, ["c"]],
    [{ filter: { urlContains: "hook%1" } }, []],
    [{ filter: { urlContains: "/hook", isEnabled: true }, orderBy: { field: "NAME" } }, ["a", "b"]],
  ])("are listed for %j", async (args, names) => {
    expect(await readAll("webhookEndpoints", "name", args)).toEqual(names);
  });
});

describe("site configurations", () => {
  test.each([
    [{}, ["docs-a", "docs-b", "docs-c", "help"]],
    [{ orderBy: { field: "SITE", direction: "DESC" } }, ["help", "docs-c", "docs-b", "docs-a"]],
    [{ orderBy: { field: "UPDATED_AT" } }, ["help", "docs-b", "docs-a", "docs-c"]],
    [{ orderBy: { field: "UPDATED_AT", direction: "DESC" } }, ["docs-c", "docs-a", "docs-b", "help"]],
    [{ filter: { siteStartsWith: "docs-" } }, ["docs-a", "docs-b", "docs-c"]],
    [{ filter: { siteStartsWith: "Docs" } }, []],
    [{ filter: { siteStartsWith: "docs", updatedAt: { to: "2024-02-01T00:00:00Z" } } }, []],
    [{ filter: { updatedAt: { to: "2024-02-01T00:00:00Z" } } }, ["help"]],
  ])("are listed for %j", async (args, sites) => {
    expect(await readAll("siteConfigs", "site", args)).toEqual(sites);
  });
});

test("invalid texts are reported with their field, and cursors of another order are rejected", async () => {
  for (const [list, condition] of [
    ["apiKeys", "nameContains"],
    ["webhookEndpoints", "urlContains"],
    ["siteConfigs", "siteStartsWith"],
  ]) {
    const long = "x".repeat(256);
    expect(
      (await call(`{ ${list}(filter: { ${condition}: "${long}" }) { totalCount } }`)).body,
    ).toMatchObject({
      errors: [{ extensions: { code: "INVALID_FIELD", field: ["filter", condition] } }],
    });
  }
  const { apiKeys } = await run("{ apiKeys(first: 1) { pageInfo { endCursor } } }");
  const query =
    "query ($after: String) { apiKeys(after: $after, orderBy: { field: NAME }) { nodes { id } } }";
  expect((await call(query, { after: apiKeys.pageInfo.endCursor })).body).toMatchObject({
    errors: [{ extensions: { code: "INVALID_FIELD", field: ["after"] } }],
  });
});

test("a prefix of external IDs ends where the external IDs do, at any code point", async () => {
  const ids = ["p\u{ffff}", "p\u{10ffff}", `p${"\u{10ffff}".repeat(254)}`];
  for (const id of [...ids, "o", "q"]) await createUserGroup(graphql, id);
  const { userGroups } = await run(
    '{ userGroups(filter: { providedIdStartsWith: "p" }) { nodes { providedId } } }',
  );
  const found = userGroups.nodes.map(({ providedId }: { providedId: string }) => providedId);
  expect(found.toSorted()).toEqual(ids.toSorted());
});
