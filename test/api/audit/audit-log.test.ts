import { beforeAll, describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = useGraphql();
const QUERY = `query ($filter: AuditFilter, $first: Int, $after: String) {
  auditLog(filter: $filter, first: $first, after: $after) {
    totalCount
    nodes { id action subjectId subjectName subjectVersion changed actorName actor { id } requestId createdAt }
    pageInfo { hasNextPage endCursor }
  }
}`;

async function entriesOf(filter: object, key?: string) {
  const { auditLog } = await graphql().run(QUERY, { filter, first: 100 }, key);
  return auditLog.nodes.toReversed();
}

let userGroupId: string;

beforeAll(async () => {
  const { run, service, keys } = graphql();
  const path = `${service.url}/api/user`;
  const headers = { "x-request-id": "audit-request-1" };
  const call = (method: string, body: object) => callRest(path, method, keys.admin, body, headers);
  const created: Awaited<ReturnType<typeof run>> = await call("GET", { user_group_id: "acme", name: "Acme" });
  await call("GET", { user_group_id: "acme", name: "Acme" });
  await call("PUT", { user_group_id: "acme", name: "New", properties: { a: 1 }, mapping: { s: "sales" } });
  await call("PUT", { user_group_id: "acme", properties: { a: 1 } });
  await call("PUT", { user_group_id: "missing", name: "New" });
  const rotated: Awaited<ReturnType<typeof run>> = await call("POST", {
    current_token: created.body.user_group.token,
  });
  await run(`mutation {
    setUserGroupMapping(input: { by: { providedId: "acme" }, schemaId: "t", dataSource: "support" }) { userErrors { code } }
    upsertUserGroups(input: { userGroups: [
      { providedId: "acme", mapping: [] }, { providedId: "beta", name: "Beta" }
    ] }) { userErrors { code } }
    createDataSource(input: { providedId: "logged", name: "Logged" }) { userErrors { code } }
    updateDataSource(input: { by: { providedId: "logged" }, name: "Renamed" }) { userErrors { code } }
    deleteDataSource(input: { by: { providedId: "logged" } }) { userErrors { code } }
  }`);
  userGroupId = (await run('{ userGroup(by: { providedId: "acme" }) { id } }')).userGroup.id;
  await call("DELETE", { current_token: rotated.body.user_group.token });
  await changeSite(graphql(), "put", { site: "docs", document: goodSite, isPublic: true });
  await changeSite(graphql(), "patch", { site: "docs", patch: { name: "Patched" } });
  await run(
    'mutation { setSiteConfigVisibility(input: { site: "docs", isPublic: false }) { siteConfig { id } } }',
  );
});

test("records every change of a group once, in order, with actor and request", async () => {
  const entries = await entriesOf({ subjectName: "acme" });
  expect(
    entries.map(({ action, subjectVersion, changed }: Record<string, unknown>) => [
      action,
      subjectVersion,
      changed,
    ]),
  ).toEqual([
    ["USER_GROUP_CREATED", 1, []],
    ["USER_GROUP_UPDATED", 2, ["name", "properties", "mapping"]],
    ["USER_GROUP_TOKEN_ROTATED", 3, []],
    ["USER_GROUP_UPDATED", 4, ["mapping"]],
    ["USER_GROUP_UPDATED", 5, ["mapping"]],
    ["USER_GROUP_DELETED", 5, []],
  ]);
  const { node } = await graphql().run(
    "query ($id: ID!) { node(id: $id) { ... on AuditEntry { action subjectId } } }",
    { id: entries[0].id },
  );
  expect(node).toEqual({ action: "USER_GROUP_CREATED", subjectId: userGroupId });
  expect(entries[0]).toMatchObject({
    actorName: "test",
    actor: { id: expect.any(String) },
    requestId: "audit-request-1",
    createdAt: expect.stringMatching(/^\d{4}-/),
  });
});

test("records changes of data sources, keys and site configurations", async () => {
  const actions = async (subjectName: string) =>
    (await entriesOf({ subjectName })).map(({ action, changed }: Record<string, unknown>) => [
      action,
      changed,
    ]);
  expect(await actions("logged")).toEqual([
    ["DATA_SOURCE_CREATED", []],
    ["DATA_SOURCE_UPDATED", ["name"]],
    ["DATA_SOURCE_DELETED", []],
  ]);
  const published = await entriesOf({ subjectName: "docs" });
  const publishedActions = published.map(
    ({ action, subjectVersion }: Record<string, unknown>) => `${action} ${subjectVersion}`,
  );
  // Simultaneous entries have no defined order.
  expect([...publishedActions.slice(0, 2).toSorted(), ...publishedActions.slice(2)]).toEqual([
    "SITE_CONFIG_OPENED 1",
    "SITE_CONFIG_PUBLISHED 1",
    "SITE_CONFIG_PUBLISHED 2",
    "SITE_CONFIG_CLOSED 2",
  ]);
  const { run } = graphql();
  const { createApiKey } = await run(
    'mutation { createApiKey(input: { name: "audited", scope: READ }) { apiKey { id } } }',
  );
  const revoke = "mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { apiKey { id } } }";
  await run(revoke, createApiKey.apiKey);
  await run(revoke, createApiKey.apiKey);
  expect(await entriesOf({ subjectName: "audited" })).toMatchObject([
    { action: "API_KEY_CREATED", actorName: "test", subjectId: createApiKey.apiKey.id },
    { action: "API_KEY_REVOKED", actorName: "test" },
  ]);
});

test("can be paged and filtered", async () => {
  const { run } = graphql();
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const { auditLog }: Awaited<ReturnType<typeof run>> = await run(QUERY, { first: 3, after });
    seen.push(...auditLog.nodes.map(({ id }: { id: string }) => id));
    after = auditLog.pageInfo.hasNextPage ? auditLog.pageInfo.endCursor : null;
    if (after === null) expect(seen).toHaveLength(auditLog.totalCount);
  } while (after !== null);
  expect(new Set(seen).size).toBe(seen.length);
  expect(await entriesOf({ actions: ["USER_GROUP_DELETED", "DATA_SOURCE_DELETED"] })).toHaveLength(2);
  expect(await entriesOf({ requestId: "audit-request-1", actorName: "test" })).toHaveLength(4);
  expect(await entriesOf({ actorName: "nobody" })).toEqual([]);
  expect(await entriesOf({ createdAt: { from: "2100-01-01T00:00:00Z" } })).toEqual([]);
});

describe("cannot be read", () => {
  test("without admin scope, from another environment or account", async () => {
    const { call, keys, strangerKey } = graphql();
    expect(await call("{ auditLog { totalCount } }", {}, keys.read)).toMatchObject({
      body: { errors: [{ extensions: { code: "FORBIDDEN" } }] },
    });
    expect(await entriesOf({ subjectName: "acme" }, keys.testing)).toEqual([]);
    expect(await entriesOf({ subjectName: "acme" }, strangerKey)).toEqual([]);
  });
});

test("is rolled back with the change", async () => {
  const { service, account } = graphql();
  const scope = { accountId: account.accountId, environment: "Customer" } as const;
  const count = async () => (await entriesOf({})).length;
  const before = await count();
  await expect(
    service.database.transaction(scope, async (transaction) => {
      await transaction.run({ access: "write", text: "UPDATE user_group SET version = version + 1" }, []);
      throw new Error("undone");
    }),
  ).rejects.toThrow("undone");
  expect(await count()).toBe(before);
});

test("cannot be changed by the service, nor deleted before 30 days have passed", async () => {
  const { service, account } = graphql();
  const database = service.database.of({ accountId: account.accountId, environment: "Customer" });
  const run = (text: string) => database.run({ access: "write", text }, []);
  await expect(run("UPDATE audit_entry SET action = 'x'")).rejects.toThrow(/permission denied/);
  expect(await run("DELETE FROM audit_entry RETURNING id")).toEqual([]);
});

test("contains no token and no key", async () => {
  const { service, keys } = graphql();
  const rows = JSON.stringify(await service.query("SELECT * FROM audit_entry"));
  expect(rows).not.toMatch(/ug[kt]_/);
  expect(rows).not.toContain(keys.admin);
});

test("links to actors and subjects, as long as they exist, with one statement per type", async () => {
  const { run, service, account, keys } = graphql();
  const { createWebhookEndpoint, createApiKey } = await run(`mutation {
    createUserGroup(input: { providedId: "linked", name: "Linked" }) { userErrors { code } }
    createDataSource(input: { providedId: "linked", name: "Linked" }) { userErrors { code } }
    createApiKey(input: { name: "linked", scope: READ }) { apiKey { id } }
    createWebhookEndpoint(input: { name: "linked", url: "https://93.184.216.34/" }) { webhookEndpoint { id } }
    putSiteConfig(input: { site: "linked", source: { text: ${JSON.stringify(JSON.stringify(goodSite))} } }) { userErrors { code } }
    updateUserGroup(input: { by: { providedId: "linked" }, name: "Renamed" }) { userErrors { code } }
  }`);
  const links = `query { auditLog(first: 250, filter: { subjectName: "linked" }) { nodes {
    action actorName actor { name } subjectId
    subject { __typename ... on Node { id } ... on UserGroup { name } ... on SiteConfig { site } }
  } } }`;
  const read = async () => (await run(links)).auditLog.nodes.toReversed();
  service.statements.length = 0;
  const entries = await read();
  const actor = { actorName: "test", actor: { name: "test" } };
  expect(
    entries.toSorted((a: { action: string }, b: { action: string }) => (a.action < b.action ? -1 : 1)),
  ).toMatchObject([
    { action: "API_KEY_CREATED", ...actor, subject: { __typename: "ApiKey", id: createApiKey.apiKey.id } },
    { action: "DATA_SOURCE_CREATED", ...actor, subject: { __typename: "DataSource" } },
    { action: "SITE_CONFIG_PUBLISHED", ...actor, subject: { __typename: "SiteConfig", site: "linked" } },
    { action: "USER_GROUP_CREATED", ...actor, subject: { __typename: "UserGroup", name: "Renamed" } },
    { action: "USER_GROUP_UPDATED", ...actor, subject: { __typename: "UserGroup", name: "Renamed" } },
    { action: "WEBHOOK_ENDPOINT_CREATED", ...actor, subject: { __typename: "WebhookEndpoint" } },
  ]);
  for (const { subjectId, subject } of entries) expect(subject.id).toBe(subjectId);
  // For the two entries about the group.
  expect(service.statements.filter((text) => text.includes("FROM user_group"))).toHaveLength(1);
  const { webhookEndpoint } = createWebhookEndpoint;
  await run(
    "mutation ($id: ID!) { deleteWebhookEndpoint(input: { id: $id }) { userErrors { code } } }",
    webhookEndpoint,
  );
  await service.query(`INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, actor_key_id)
    VALUES (${account.accountId}, 'Customer', 'user_group.deleted', 2147483647, 'linked', '{}', 'operator', NULL),
      (${account.accountId}, 'Customer', 'user_group.deleted', 2147483646, 'linked', '{}', 'gone', 2147483647)`);
  const later = await read();
  const deleted = later.filter(({ action }: { action: string }) => /ENDPOINT|DELETED/.test(action));
  expect(deleted).toHaveLength(4);
  for (const entry of deleted) expect(entry).toMatchObject({ subjectId: expect.any(String), subject: null });
  expect(
    deleted.map(({ actorName, actor: key }: { actorName: string; actor: object }) => [actorName, key]),
  ).toEqual(
    expect.arrayContaining([
      ["operator", null],
      ["gone", null],
      ["test", { name: "test" }],
    ]),
  );
  expect((await graphql().call(links, {}, keys.read)).body).toMatchObject({
    errors: [{ extensions: { code: "FORBIDDEN" } }],
  });
});
