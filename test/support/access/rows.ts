import type { Scope } from "../../../src/domain/accounts/caller.js";
import { goodSite } from "../site-configs/store.js";
import { URL_OF } from "../webhooks/operations.js";
import type { Credential, ScopedCaller } from "./caller-kinds.js";
import { type AccessIds, groupWays, sourceWays } from "./tenants.js";

/** From least to most privileged, as documented; user group tokens are a case of their own. */
const SCOPES: readonly Scope[] = ["read", "embed", "write", "admin"];

/** A caller's result: its own data, null without an error, or an error code. */
export type Outcomes = Readonly<Record<Credential, string>>;

export type Call =
  | { readonly query: string }
  | { readonly subscription: string }
  | { readonly method: string; readonly path: string; readonly body: object | undefined };

/** One call of a GraphQL field or of a method of the REST API. */
export interface AccessRow {
  readonly of: string;
  readonly outcomes: Outcomes;
  /** @param ids of the objects to address @param own creates objects of the caller's tenant */
  readonly call: (ids: AccessIds, ownIds: AccessIds) => Call;
}

/** Expected results for keys from a scope upwards; user group tokens are forbidden. */
export function from(scope: Scope, others: Partial<Outcomes> = {}): Outcomes {
  const minimum = SCOPES.indexOf(scope);
  const of = (each: Scope) => (SCOPES.indexOf(each) >= minimum ? "ok" : "FORBIDDEN");
  return {
    none: "UNAUTHENTICATED",
    token: "FORBIDDEN",
    read: of("read"),
    embed: of("embed"),
    write: of("write"),
    admin: of("admin"),
    ...others,
  };
}

/** Returns a row's expected outcome. */
export function expectedOutcome(row: AccessRow, { kind, credential }: ScopedCaller): string {
  // REST accepts no cookies.
  const isIgnored = row.of.includes("/") && kind.endsWith("in the console");
  return row.outcomes[isIgnored ? "none" : credential];
}

/** Renders a value as GraphQL text. */
export const q = (value: unknown) => JSON.stringify(value);
export const GROUP = "{ id providedId name version }";
export const ERRORS = "userErrors { code field message }";

type AccessText = (ids: AccessIds) => string;

export function query(of: string, outcomes: Outcomes, text: AccessText): AccessRow {
  return { of, outcomes, call: (ids) => ({ query: `{ ${text(ids)} }` }) };
}

/** Queries from a scope upwards. @param rows the arguments and selection of a field */
const queriesFrom = (scope: Scope, rows: readonly (readonly [of: string, rest: AccessText])[]) =>
  rows.map(([of, rest]) => query(of, from(scope), (ids) => `${of}${rest(ids)}`));

/** @param fields the selection of the payload; must be deterministic for created objects */
export function mutation(
  of: string,
  scope: Scope,
  input: (ids: AccessIds, ownIds: AccessIds) => string,
  fields: string,
  others: Partial<Outcomes> = {},
): AccessRow {
  const call: AccessRow["call"] = (ids, ownIds) => ({
    query: `mutation { ${of}(input: { ${input(ids, ownIds)} }) { ${fields} ${ERRORS} } }`,
  });
  return { of, outcomes: from(scope, others), call };
}

/** @param of the method and path */
export function rest(
  of: string,
  scope: Scope,
  body: (ids: AccessIds, ownIds: AccessIds) => object,
  others: Partial<Outcomes> = {},
): AccessRow {
  // REST does not accept user group tokens.
  const outcomes = from(scope, { token: "UNAUTHENTICATED", ...others });
  const [method = "", path = ""] = of.split(" ");
  return { of, outcomes, call: (ids, ownIds) => ({ method, path, body: body(ids, ownIds) }) };
}

/** Lists groups over REST. @param query of the path */
function restList(query: (ids: AccessIds) => string): AccessRow {
  const call = (ids: AccessIds) => ({
    method: "GET",
    path: `/api/user-groups${query(ids)}`,
    body: undefined,
  });
  return { of: "GET /api/user-groups", outcomes: from("read", { token: "UNAUTHENTICATED" }), call };
}

/** A method of a site configuration as a file. @param name of the site */
export function site(
  method: "GET" | "PUT" | "DELETE",
  scope: Scope,
  name: (ids: AccessIds) => string,
): AccessRow {
  const outcomes = from(scope, { token: "UNAUTHENTICATED" });
  const body = method === "PUT" ? goodSite : undefined;
  const call = (ids: AccessIds) => ({ method, path: `/site-config/${name(ids)}`, body });
  return { of: `${method} /site-config/{site}`, outcomes, call };
}

/** Creates a session of a template over REST. */
function templateSession(
  template: (ids: AccessIds, ownIds: AccessIds) => string,
  group: (ids: AccessIds, ownIds: AccessIds) => string,
): AccessRow {
  return {
    of: "POST /api/embed-session/{template}",
    outcomes: from("embed", { token: "UNAUTHENTICATED" }),
    call: (ids, ownIds) => ({
      method: "POST",
      path: `/api/embed-session/${template(ids, ownIds)}`,
      body: { user_group_id: group(ids, ownIds) },
    }),
  };
}

const BELOW_ADMIN = { read: "null", embed: "null", write: "null" };
/** Looks up groups and data sources by every identifier in one query. */
const byAll = (field: string, ways: readonly string[], selection: string) =>
  ways.map((by, index) => `w${index}: ${field}(by: ${by}) ${selection}`).join(" ");
const text = q(q(goodSite));
const OWN_GROUP =
  "viewer { userGroup { id providedId name properties variableDefaults version updatedAt mapping { schemaId dataSource { id providedId } } } }";
const REVISIONS =
  "atRevision(revision: 1) { text } revisions(first: 100) { totalCount nodes { text } } diff(from: 1)";
const SUBJECT = "subject { __typename ... on Node { id } }";

/** The access matrix's rows for queries, subscriptions and the methods of the REST API. */
export const READS: readonly AccessRow[] = [
  query(
    "viewer",
    from("read", { none: "null", token: "ok" }),
    () => "viewer { environment apiKey { id scope } }",
  ),
  query(
    "viewer",
    { ...from("admin", BELOW_ADMIN), none: "null", token: "ok", admin: "null" },
    () => OWN_GROUP,
  ),
  query("userGroup", from("read"), (ids) => byAll("userGroup", groupWays(ids), GROUP)),
  query("userGroup", from("embed", { read: "null" }), (ids) =>
    byAll("userGroup", groupWays(ids), "{ token }"),
  ),
  query("dataSource", from("read"), (ids) => byAll("dataSource", sourceWays(ids), "{ id providedId name }")),
  query(
    "node",
    from("read"),
    (ids) => `a: node(id: ${q(ids.userGroup)}) { id } b: node(id: ${q(ids.dataSource)}) { id }`,
  ),
  query("nodes", from("read"), (ids) => {
    const { userGroup, dataSource, siteConfig, siteConfigRevision, sessionTemplate } = ids;
    const all = [userGroup, dataSource, siteConfig, siteConfigRevision, sessionTemplate];
    return `nodes(ids: ${q(all)}) { id __typename }`;
  }),
  query("nodes", from("admin", BELOW_ADMIN), (ids) => {
    const { apiKey, auditEntry, webhookEndpoint, webhookDelivery } = ids;
    return `nodes(ids: ${q([apiKey, auditEntry, webhookEndpoint, webhookDelivery])}) { id __typename }`;
  }),
  ...queriesFrom("read", [
    [
      "userGroups",
      (ids) => `(filter: { providedIds: [${q(ids.providedId)}] }) { nodes ${GROUP} totalCount }`,
    ],
    ["userGroups", (ids) => `(filter: { dataSource: { dataSourceId: ${ids.dataSourceId} } }) { totalCount }`],
    ["userGroups", () => "(first: 50) { nodes { mapping { dataSource { name } } } }"],
    ["dataSources", (ids) => `(filter: { providedIds: [${q(ids.sourceProvidedId)}] }) { nodes { name } }`],
    ["dataSources", () => "(first: 50) { nodes { userGroups(first: 50) { totalCount nodes { name } } } }"],
    ["siteConfig", ({ site }) => `(site: ${q(site)}) { id text revision }`],
    ["siteConfigs", () => `(first: 100) { nodes { site text document settings { name } ${REVISIONS} } }`],
    ["usageDays", () => "(days: 2) { date userGroups embedSessions calls errors }"],
    ["sessionTemplates", () => "(first: 50) { totalCount nodes { name description claims } }"],
    ["sessionTemplate", (ids) => `(by: { id: ${q(ids.sessionTemplate)} }) { name }`],
    ["sessionTemplate", (ids) => `(by: { name: ${q(ids.templateName)} }) { id description }`],
    ["propertySchema", () => "{ mode version findings(first: 10) { nodes { userGroup { providedId } } } }"],
    ["validateSiteConfig", () => `(source: { text: ${text} }) { isValid }`],
  ]),
  ...queriesFrom("write", [
    [
      "userGroups",
      () =>
        "(first: 10) { nodes { history(first: 10) { totalCount nodes { name mapping { dataSource { name } } } } } }",
    ],
    ["bulkChange", (ids) => `(id: ${q(ids.bulkChange)}) { id authorName }`],
    ["bulkChanges", () => "(first: 50) { totalCount nodes { id changed } }"],
  ]),
  ...queriesFrom("admin", [
    ["apiKeys", () => "(first: 100) { totalCount nodes { id name scope auditDays { changes } } }"],
    ["auditLog", () => `(first: 100) { totalCount nodes { actor { name } ${SUBJECT} } }`],
    ["auditLog", (ids) => `(filter: { subjectName: ${q(ids.providedId)} }) { nodes { id subjectName } }`],
    ["auditLog", (ids) => `(filter: { subjectId: ${q(ids.userGroup)} }) { nodes { id subjectId } }`],
    [
      "userGroups",
      () => "(first: 50) { nodes { auditLog(first: 50) { totalCount nodes { id subjectName } } } }",
    ],
    ["userGroups", () => "(first: 50) { nodes { providedId embedSessionDays { sessions } } }"],
    [
      "sessionTemplateCheck",
      () =>
        '(input: { algorithm: HS256, claims: { group: "{{ userGroup.properties.region }}" } }) { checked errors { code } }',
    ],
    ["auditDays", () => "(days: 7) { date changes }"],
    ["webhookEndpoints", () => "(first: 100) { nodes { id name url health { pendingDeliveries } } }"],
    ["webhookDeliveries", () => "(first: 100) { totalCount nodes { endpoint { name } } }"],
    [
      "webhookDeliveries",
      (ids) => `(filter: { endpointId: ${q(ids.webhookEndpoint)} }) { nodes { id payload } }`,
    ],
  ]),
  {
    of: "userGroup",
    outcomes: from("read"),
    call: ({ templateName }, { userGroup }) => ({
      query: `{ userGroup(by: { id: ${q(userGroup)} }) { sessionClaims(template: ${q(templateName)}) { claims errors { code } } } }`,
    }),
  },
  {
    of: "userGroupChanged",
    outcomes: from("read", { token: "ok" }),
    call: ({ userGroup }) => ({
      subscription: `subscription { userGroupChanged(by: { id: ${q(userGroup)} }) { kind userGroup { name } } }`,
    }),
  },
  {
    of: "userGroupChanged",
    outcomes: from("read", { token: "ok" }),
    call: () => ({ subscription: "subscription { userGroupChanged { kind userGroup { name } } }" }),
  },
  rest("GET /api/user", "embed", ({ providedId }) => ({ user_group_id: providedId })),
  rest("GET /api/user", "write", ({ newId }) => ({ user_group_id: newId, name: "New" })),
  rest("PUT /api/user", "write", ({ providedId }) => ({ user_group_id: providedId, name: "New" })),
  rest("PUT /api/user", "write", (ids, ownIds) => ({
    user_group_id: ownIds.providedId,
    mapping: { s: String(ids.dataSourceId), t: ids.sourceProvidedId },
  })),
  rest("POST /api/user", "write", ({ token }) => ({ current_token: token })),
  rest("DELETE /api/user", "write", ({ token }) => ({ current_token: token })),
  rest("DELETE /api/user", "write", (ids, ownIds) => ({
    current_token: ownIds.token,
    user_group_id: ids.providedId,
  })),
  restList(() => "?limit=1"),
  restList(({ providedId }) => `?user_group_id=${providedId}`),
  restList(({ sourceProvidedId }) => `?data_source_provided_id=${sourceProvidedId}`),
  rest("POST /api/embed-session", "embed", ({ providedId }) => ({ user_group_id: providedId })),
  rest("POST /api/embed-session", "embed", ({ token }) => ({ current_token: token })),
  templateSession(
    ({ templateName }) => templateName,
    (_, { providedId }) => providedId,
  ),
  templateSession(
    (_, { templateName }) => templateName,
    ({ providedId }) => providedId,
  ),
  rest("POST /site-config/validate", "read", () => goodSite),
  site("GET", "read", ({ site }) => site),
  site("PUT", "write", ({ newId }) => newId),
  site("DELETE", "write", ({ site }) => site),
];

/** A mutation with its input and the selection of its payload, which must be deterministic for created objects. */
type Row = readonly [of: string, input: (ids: AccessIds, ownIds: AccessIds) => string, fields: string];

const rowsFrom = (scope: Scope, rows: readonly Row[]): readonly AccessRow[] =>
  rows.map(([of, input, fields]) => mutation(of, scope, input, fields));

/** The access matrix's rows for mutations. */
export const MUTATIONS: readonly AccessRow[] = [
  ...rowsFrom("read", [
    ["getOrCreateUserGroup", (ids) => `providedId: ${q(ids.providedId)}`, "isNew userGroup { name }"],
  ]),
  ...rowsFrom("embed", [
    ["createEmbedSession", ({ groupBy }) => `by: ${groupBy}`, "__typename"],
    [
      "createTemplateSession",
      ({ groupBy }, { templateName }) => `by: ${groupBy}, template: ${q(templateName)}`,
      "__typename",
    ],
    [
      "createTemplateSession",
      ({ templateName }, { groupBy }) => `by: ${groupBy}, template: ${q(templateName)}`,
      "__typename",
    ],
  ]),
  ...rowsFrom("write", [
    ["createUserGroup", ({ newId }) => `providedId: ${q(newId)}, name: "New"`, "userGroup { name }"],
    [
      "getOrCreateUserGroup",
      ({ newId }) => `providedId: ${q(newId)}, name: "New"`,
      "isNew userGroup { name }",
    ],
    [
      "upsertUserGroups",
      ({ newId }) => `userGroups: [{ providedId: ${q(newId)}, name: "New" }]`,
      `results { isNew ${ERRORS} }`,
    ],
    ["updateUserGroup", ({ groupBy }) => `by: ${groupBy}, name: "New"`, `userGroup ${GROUP}`],
    [
      "updateUserGroups",
      ({ groupBy }) => `userGroups: [${groupBy}], propertiesPatch: { new: 1 }`,
      `results { isChanged userGroup ${GROUP} ${ERRORS} }`,
    ],
    ["undoBulkChange", (ids) => `id: ${q(ids.bulkChange)}, bulkChangeId: ${q(ids.undo)}`, "__typename"],
    ["restoreUserGroup", ({ groupBy }) => `by: ${groupBy}, version: 1`, `userGroup ${GROUP}`],
    ["rotateUserGroupToken", ({ groupBy }) => `by: ${groupBy}`, `userGroup ${GROUP}`],
    ["deleteUserGroup", ({ groupBy }) => `by: ${groupBy}`, "deletedUserGroupId"],
    [
      "rotateUserGroupTokens",
      ({ groupBy }) => `userGroups: [${groupBy}]`,
      `results { userGroup ${GROUP} ${ERRORS} }`,
    ],
    [
      "deleteUserGroups",
      ({ groupBy }) => `userGroups: [${groupBy}]`,
      `results { deletedUserGroupId ${ERRORS} }`,
    ],
    [
      "setUserGroupMapping",
      (ids) => `by: ${ids.groupBy}, schemaId: "s", dataSource: ${q(ids.sourceProvidedId)}`,
      `userGroup ${GROUP}`,
    ],
    [
      "replaceUserGroupMapping",
      (ids) => `by: ${ids.groupBy}, mapping: [{ schemaId: "s", dataSource: "${ids.dataSourceId}" }]`,
      `userGroup ${GROUP}`,
    ],
    [
      "setUserGroupMapping",
      (ids, ownIds) =>
        `by: { id: ${q(ownIds.userGroup)} }, schemaId: "s", dataSource: ${q(ids.sourceProvidedId)}`,
      `userGroup ${GROUP}`,
    ],
    [
      "replaceUserGroupMapping",
      (ids, ownIds) =>
        `by: { id: ${q(ownIds.userGroup)} }, mapping: [{ schemaId: "s", dataSource: "${ids.dataSourceId}" }]`,
      `userGroup ${GROUP}`,
    ],
    ["removeUserGroupMapping", ({ groupBy }) => `by: ${groupBy}, schemaId: "s"`, `userGroup ${GROUP}`],
    ["createDataSource", ({ newId }) => `providedId: ${q(newId)}, name: "New"`, "dataSource { name }"],
    ["updateDataSource", ({ sourceBy }) => `by: ${sourceBy}, name: "New"`, "dataSource { name }"],
    ["deleteDataSource", ({ sourceBy }) => `by: ${sourceBy}`, "deletedDataSourceId"],
    [
      "putSiteConfig",
      ({ newId }) => `site: ${q(newId)}, source: { text: ${text} }`,
      "siteConfig { revision }",
    ],
    ["patchSiteConfig", ({ site }) => `site: ${q(site)}, patch: { name: "New" }`, "siteConfig { text }"],
    ["restoreSiteConfig", ({ site }) => `site: ${q(site)}, revision: 1`, "siteConfig { text }"],
    ["setSiteConfigVisibility", ({ site }) => `site: ${q(site)}, isPublic: true`, "siteConfig { isPublic }"],
    ["deleteSiteConfig", ({ site }) => `site: ${q(site)}`, "deletedSiteConfigId"],
  ]),
  ...rowsFrom("admin", [
    ["createApiKey", ({ newId }) => `name: ${q(newId)}, scope: READ`, "apiKey { scope }"],
    ["revokeApiKey", ({ apiKey }) => `id: ${q(apiKey)}`, "apiKey { name }"],
    [
      "createWebhookEndpoint",
      ({ newId }) => `name: ${q(newId)}, url: "${URL_OF("new")}"`,
      "webhookEndpoint { url }",
    ],
    [
      "updateWebhookEndpoint",
      (ids) => `id: ${q(ids.webhookEndpoint)}, name: ${q(ids.newId)}`,
      "webhookEndpoint { url }",
    ],
    ["rotateWebhookSecret", (ids) => `id: ${q(ids.webhookEndpoint)}`, "webhookEndpoint { url }"],
    ["deleteWebhookEndpoint", (ids) => `id: ${q(ids.webhookEndpoint)}`, "deletedWebhookEndpointId"],
    [
      "createSessionTemplate",
      ({ newId }, own) =>
        `name: ${q(newId.toLowerCase())}, algorithm: HS256, secret: ${q(`${own.providedId} of a dashboard tool`)}, claims: { new: "${newId}" }`,
      "sessionTemplate { version }",
    ],
    [
      "updateSessionTemplate",
      (ids) => `by: { id: ${q(ids.sessionTemplate)} }, description: "New"`,
      "sessionTemplate { description }",
    ],
    [
      "updateSessionTemplate",
      (ids) => `by: { name: ${q(ids.templateName)} }, description: "New"`,
      "sessionTemplate { description }",
    ],
    ["deleteSessionTemplate", (ids) => `by: { id: ${q(ids.sessionTemplate)} }`, "deletedSessionTemplateId"],
    ["setPropertySchema", () => 'mode: OFF, schema: { type: "object" }', "propertySchema { schema }"],
    ["sendTestWebhook", (ids) => `id: ${q(ids.webhookEndpoint)}`, "webhookDelivery { event }"],
    ["replayWebhookDelivery", (ids) => `id: ${q(ids.webhookDelivery)}`, "webhookDelivery { event }"],
    ["replayFailedWebhookDeliveries", (ids) => `id: ${q(ids.webhookEndpoint)}`, "replayedCount"],
  ]),
];
