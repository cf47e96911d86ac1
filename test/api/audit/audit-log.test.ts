import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import {
  CALLER_KINDS,
  type CallerKind,
  CREDENTIALS_OF,
  createPrincipal,
} from "../../support/access/caller-kinds.js";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { avoidMidnight } from "../../support/service/utc-day.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";
import { createEndpoint } from "../../support/webhooks/operations.js";

await avoidMidnight();

const graphql = useGraphql({ console: true });
const QUERY = `query ($filter: AuditFilter, $first: Int, $after: String) {
  auditLog(filter: $filter, first: $first, after: $after) {
    totalCount
    nodes { id action subjectId subjectName subjectVersion changed actorName actor { id } requestId createdAt }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** The entries from the oldest on. */
async function entriesOf(filter: object): Promise<Data[]> {
  return (await graphql().run(QUERY, { filter, first: 100 })).auditLog.nodes.toReversed();
}

let userGroupId: string;

beforeAll(async () => {
  const { rest, mutate, run } = graphql();
  const by = { providedId: "acme" };
  const headers = { "x-request-id": "audit-request-1" };
  const call = async (method: string, body: object) =>
    Object((await rest(method, body, undefined, headers)).body);
  const { user_group: group } = await call("GET", { user_group_id: "acme", name: "Acme" });
  await call("GET", { user_group_id: "acme", name: "Acme" });
  await call("PUT", { user_group_id: "acme", name: "New", properties: { a: 1 }, mapping: { s: "sales" } });
  await call("PUT", { user_group_id: "acme", properties: { a: 1 } });
  await call("PUT", { user_group_id: "missing", name: "New" });
  const { user_group: rotated } = await call("POST", { current_token: group.token });
  await mutate("setUserGroupMapping", { by, ...entry("t", "support") });
  const userGroups = [
    { ...by, mapping: [] },
    { providedId: "beta", name: "Beta" },
  ];
  await mutate("upsertUserGroups", { userGroups });
  const source = { by: { providedId: "logged" } };
  await mutate("createDataSource", { providedId: "logged", name: "Logged" });
  await mutate("updateDataSource", { ...source, name: "Renamed" });
  await mutate("deleteDataSource", source);
  const { userGroup } = await run("query ($by: UserGroupBy!) { userGroup(by: $by) { id } }", { by });
  userGroupId = userGroup.id;
  await call("DELETE", { current_token: rotated.token });
  await changeSite(graphql(), "put", { site: "docs", document: goodSite, isPublic: true });
  await changeSite(graphql(), "patch", { site: "docs", patch: { name: "Patched" } });
  await mutate("setSiteConfigVisibility", { site: "docs", isPublic: false });
  const { apiKey } = await mutate("createApiKey", { name: "audited", scope: "READ" }, "apiKey { id }");
  for (const _ of ["once", "again"]) await mutate("revokeApiKey", apiKey);
  const { webhookEndpoint } = await createEndpoint(graphql(), "hooked");
  const { id } = webhookEndpoint;
  for (const changes of [
    {},
    { url: "https://93.184.216.34/new", events: ["USER_GROUP_CREATED"] },
    { enabled: false },
  ])
    await mutate("updateWebhookEndpoint", { id, ...changes });
  await mutate("rotateWebhookSecret", { id });
  await mutate("deleteWebhookEndpoint", { id });
});

test.each([
  [
    "acme",
    [
      "USER_GROUP_CREATED 1",
      "USER_GROUP_UPDATED 2 name properties mapping",
      "USER_GROUP_TOKEN_ROTATED 3",
      "USER_GROUP_UPDATED 4 mapping",
      "USER_GROUP_UPDATED 5 mapping",
      "USER_GROUP_DELETED 5",
    ],
  ],
  ["logged", ["DATA_SOURCE_CREATED", "DATA_SOURCE_UPDATED name", "DATA_SOURCE_DELETED"]],
  [
    "docs",
    ["SITE_CONFIG_OPENED 1", "SITE_CONFIG_PUBLISHED 1", "SITE_CONFIG_PUBLISHED 2", "SITE_CONFIG_CLOSED 2"],
  ],
  ["audited", ["API_KEY_CREATED", "API_KEY_REVOKED"]],
  [
    "hooked",
    [
      "WEBHOOK_ENDPOINT_CREATED",
      "WEBHOOK_ENDPOINT_UPDATED url events",
      "WEBHOOK_ENDPOINT_UPDATED enabled",
      "WEBHOOK_ENDPOINT_UPDATED secret",
      "WEBHOOK_ENDPOINT_DELETED",
    ],
  ],
])("records every change of %s once, in order, with its actor", async (subjectName, expected) => {
  const entries = await entriesOf({ subjectName });
  const texts = entries.map(({ action, subjectVersion, changed }) =>
    [action, ...(subjectVersion === null ? [] : [subjectVersion]), ...changed].join(" "),
  );
  // The order of simultaneous entries is not defined: those of a site's first revision.
  if (subjectName === "docs") texts.splice(0, 2, ...texts.slice(0, 2).toSorted());
  expect(texts).toEqual(expected);
  expect(new Set(entries.map(({ subjectId }) => subjectId)).size).toBe(1);
  for (const { actorName, actor, createdAt } of entries)
    expect([actorName, actor, createdAt]).toEqual([
      "test",
      { id: expect.any(String) },
      expect.stringMatching(/^\d{4}-/),
    ]);
});

/** Who may change something over GraphQL and REST, and who is then named: the key, or the person, who has none. */
const ACTORS: Readonly<
  Record<CallerKind, Readonly<Record<"graphql" | "rest" | "siteConfig", "key" | "person" | "nobody">>>
> = {
  "an API key": { graphql: "key", rest: "key", siteConfig: "key" },
  "a key in the console": { graphql: "key", rest: "nobody", siteConfig: "nobody" },
  "a person in the console": { graphql: "person", rest: "nobody", siteConfig: "nobody" },
  "a user group token": { graphql: "nobody", rest: "nobody", siteConfig: "nobody" },
  "an embed session": { graphql: "nobody", rest: "nobody", siteConfig: "nobody" },
  "no credentials": { graphql: "nobody", rest: "nobody", siteConfig: "nobody" },
};

test.each(CALLER_KINDS)("names the actor of a change on each API: %s", async (kind) => {
  const { service, send } = graphql();
  const principal = await createPrincipal(graphql(), "write");
  const key = { name: "test", hint: expect.stringMatching(new RegExp(`${principal.key.slice(-4)}$`)) };
  const entries = {
    key: [{ actorName: "test", actor: key }],
    person: [{ actorName: `Name of ${principal.person}`, actor: null }],
    nobody: [],
  };
  const credentials = await CREDENTIALS_OF[kind](principal);
  const id = randomUUID();
  const headersOf = (api: string) => ({ ...credentials, "x-request-id": `${api}-${id}` });
  const create = `mutation { createUserGroup(input: { providedId: "${id}", name: "N" }) { userErrors { code } } }`;
  await send({ query: create }, null, headersOf("graphql"));
  const call = (path: string, method: string, body: object, headers: Readonly<Record<string, string>>) =>
    callRest(service.url + path, method, undefined, body, headers);
  await call("/api/user", "GET", { user_group_id: `rest-${id}`, name: "N" }, headersOf("rest"));
  await call(`/site-config/${id}`, "PUT", goodSite, headersOf("siteConfig"));
  for (const [api, actor] of Object.entries(ACTORS[kind])) {
    const filter = { requestId: `${api}-${id}` };
    const { auditLog } = await graphql().run(
      "query ($filter: AuditFilter) { auditLog(filter: $filter) { nodes { actorName actor { name hint } } } }",
      { filter },
    );
    expect(auditLog.nodes, api).toEqual(entries[actor]);
  }
});

test("an entry is a node, and names its subject and the request", async () => {
  const [first] = await entriesOf({ subjectName: "acme" });
  expect(first).toMatchObject({ subjectId: userGroupId, requestId: "audit-request-1" });
  const query = "query ($id: ID!) { node(id: $id) { ... on AuditEntry { action subjectId } } }";
  expect(await graphql().run(query, { id: first.id })).toEqual({
    node: { action: "USER_GROUP_CREATED", subjectId: userGroupId },
  });
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

test("a user group has its entries, with the filter of the audit log", async () => {
  const { run, mutate, service } = graphql();
  const groups = ["own-1", "own-2"];
  for (const providedId of groups) {
    const by = { providedId };
    await createUserGroup(graphql(), providedId);
    await mutate("updateUserGroup", { by, name: "New" });
  }
  await service.query(`INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name)
    SELECT account_id, environment, 'user_group.embed_session_created', id, provided_id, '{}', 'test' FROM user_group WHERE provided_id ~ '^own-'`);
  // Of another type, with the same internal ID.
  await service.query(`INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name)
    SELECT account_id, environment, 'data_source.deleted', id, 'other', '{}', 'test' FROM user_group WHERE provided_id = 'own-1'`);
  const read = async (filter: object, of: object) => {
    const { userGroups } = await run(
      `query ($filter: UserGroupFilter, $of: AuditFilter) { userGroups(filter: $filter) { nodes {
        id auditLog(first: 2, filter: $of) { totalCount nodes { action subjectName } pageInfo { hasNextPage endCursor } }
      } } }`,
      { filter, of },
    );
    return userGroups.nodes;
  };
  service.statements.length = 0;
  const excludeActions = ["USER_GROUP_EMBED_SESSION_CREATED"];
  const changes = await read({ providedIds: groups }, { excludeActions });
  expect(service.statements.filter((text) => text.includes("FROM audit_entry"))).toHaveLength(2);
  expect(changes.map(({ auditLog }: Data) => auditLog)).toEqual(
    groups.map((subjectName) => ({
      totalCount: 2,
      nodes: ["USER_GROUP_UPDATED", "USER_GROUP_CREATED"].map((action) => ({ action, subjectName })),
      pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
    })),
  );
  const [{ id, auditLog }] = await read({ providedIds: groups }, {});
  expect(auditLog).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
  const { userGroup } = await run(
    "query ($id: ID!, $after: String) { userGroup(by: { id: $id }) { auditLog(after: $after) { nodes { action } } } }",
    { id, after: auditLog.pageInfo.endCursor },
  );
  expect(userGroup.auditLog.nodes).toEqual([{ action: "USER_GROUP_CREATED" }]);
  expect(await entriesOf({ subjectId: id, excludeActions })).toHaveLength(2);
  for (const subjectId of ["malformed", auditLog.pageInfo.endCursor])
    expect(await entriesOf({ subjectId })).toEqual([]);
});

test("cannot be changed by the service, nor deleted before 30 days have passed", async () => {
  const { service, account } = graphql();
  const database = service.database.of({ accountId: account.accountId, environment: "Customer" });
  const run = (text: string) => database.run({ access: "write", text }, []);
  await expect(run("UPDATE audit_entry SET action = 'x'")).rejects.toThrow(/permission denied/);
  expect(await run("DELETE FROM audit_entry RETURNING id")).toEqual([]);
});

test("links to actors and subjects, as long as they exist, with one statement per type", async () => {
  const { run, mutate, service, account } = graphql();
  await createUserGroup(graphql(), "linked");
  await mutate("createDataSource", { providedId: "linked", name: "Linked" });
  await mutate("createApiKey", { name: "linked", scope: "READ" });
  const { webhookEndpoint } = await createEndpoint(graphql(), "linked");
  await changeSite(graphql(), "put", { site: "linked", document: goodSite });
  await mutate("updateUserGroup", { by: { providedId: "linked" }, name: "Renamed" });
  const links = `{ auditLog(first: 250, filter: { subjectName: "linked" }) { nodes {
    action actorName actor { name } subjectId
    subject { __typename ... on Node { id } ... on UserGroup { name } ... on SiteConfig { site } }
  } } }`;
  const read = async (): Promise<Data[]> => (await run(links)).auditLog.nodes;
  service.statements.length = 0;
  const entries = (await read()).toSorted((a, b) => (a.action < b.action ? -1 : 1));
  // For the two entries about the group.
  expect(service.statements.filter((text) => text.includes("FROM user_group"))).toHaveLength(1);
  const group = { __typename: "UserGroup", name: "Renamed" };
  expect(entries).toEqual(
    [
      ["API_KEY_CREATED", { __typename: "ApiKey" }],
      ["DATA_SOURCE_CREATED", { __typename: "DataSource" }],
      ["SITE_CONFIG_PUBLISHED", { __typename: "SiteConfig", site: "linked" }],
      ["USER_GROUP_CREATED", group],
      ["USER_GROUP_UPDATED", group],
      ["WEBHOOK_ENDPOINT_CREATED", { __typename: "WebhookEndpoint" }],
    ].map(([action, subject], index) => ({
      action,
      actorName: "test",
      actor: { name: "test" },
      subjectId: entries[index]?.subject.id,
      subject: { ...Object(subject), id: expect.any(String) },
    })),
  );
  await mutate("deleteWebhookEndpoint", { id: webhookEndpoint.id });
  await service.query(`INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, actor_key_id)
    VALUES (${account.accountId}, 'Customer', 'user_group.deleted', 2147483647, 'linked', '{}', 'operator', NULL),
      (${account.accountId}, 'Customer', 'user_group.deleted', 2147483646, 'linked', '{}', 'gone', 2147483647)`);
  const gone = (await read()).filter(({ action }) => /ENDPOINT|DELETED/.test(action));
  expect(gone.map(({ actorName, actor, subject }) => [actorName, actor, subject]).toSorted()).toEqual([
    ["gone", null, null],
    ["operator", null, null],
    ["test", { name: "test" }, null],
    ["test", { name: "test" }, null],
  ]);
});

test("counts the changes of each day", async () => {
  const { run, call, service, account } = graphql();
  await service.query(`INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, created_at)
    SELECT ${account.accountId}, 'Customer', 'user_group.deleted', 1, 'counted', '{}', 'operator', day
    FROM unnest(ARRAY[now() - interval '2 days', now() - interval '2 days', now() - interval '3 days']) AS day`);
  const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const { auditDays } = await run("{ auditDays(days: 3) { date changes } }");
  expect(auditDays).toEqual([
    { date: dayBefore(2), changes: 2 },
    { date: dayBefore(1), changes: 0 },
    { date: dayBefore(0), changes: expect.any(Number) },
  ]);
  for (const days of [0, 91]) {
    const { body } = await call(`{ auditDays(days: ${days}) { date } }`);
    expect(body).toMatchObject({ errors: [{ extensions: { code: "INVALID_FIELD", field: ["days"] } }] });
  }
});

test("embed sessions count as use of their API key, not as changes", async () => {
  const { run, mutate, keys, service } = graphql();
  await createUserGroup(graphql(), "embedded");
  const COUNT =
    "{ auditDays(days: 1) { changes } apiKeys(first: 100) { nodes { hint auditDays { changes } } } }";
  const count = async () => {
    const { auditDays, apiKeys } = await run(COUNT);
    const key = apiKeys.nodes.find(({ hint }: { hint: string }) => hint.endsWith(keys.embed.slice(-4)));
    return { changes: auditDays[0].changes, uses: key.auditDays.at(-1).changes };
  };
  const before = await count();
  const input = { by: { providedId: "embedded" } };
  expect((await mutate("createEmbedSession", input, "", keys.embed)).userErrors).toEqual([]);
  // With the setting that keeps one, a session also has an audit entry.
  await service.query(
    `INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, actor_key_id)
    SELECT account_id, environment, 'user_group.embed_session_created', user_group_id, 'embedded', '{}', 'test', api_key_id FROM embed_session_count`,
  );
  expect(before.uses).toBe(0);
  expect(await count()).toEqual({ changes: before.changes, uses: 1 });
});

test("counts the changes of each API key on each day, with one statement", async () => {
  const { run, service, account } = graphql();
  const [one, other] = [await account.createKey(), await account.createKey({ scope: "read" })];
  await service.query(
    `INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, actor_key_id, created_at)
    SELECT ${account.accountId}, environment::environment, 'user_group.deleted', 1, 'counted', '{}', 'test', $1, now() - days * interval '1 day'
    FROM (VALUES ('Customer', 2), ('Customer', 2), ('Customer', 29), ('Customer', 30), ('Testing', 2)) AS entry (environment, days)`,
    [one.id],
  );
  service.statements.length = 0;
  const { apiKeys } = await run("{ apiKeys(first: 100) { nodes { hint auditDays { changes } } } }");
  expect(service.statements.filter((text) => text.includes("FROM audit_entry"))).toHaveLength(1);
  const changesOf = (secret: string) => {
    const found = apiKeys.nodes.find(({ hint }: { hint: string }) => hint.endsWith(secret.slice(-4)));
    return found.auditDays.map(({ changes }: { changes: number }) => changes);
  };
  expect(changesOf(one.secret)).toEqual([1, ...Array(26).fill(0), 2, 0, 0]);
  expect(changesOf(other.secret)).toEqual(Array(30).fill(0));
});
