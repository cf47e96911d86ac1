import { goodSite } from "../site-configs/store.js";
import { type AccessRow, from, GROUP, q, query, rest, site } from "./row.js";
import { groupWays, sourceWays } from "./tenants.js";

const BELOW_ADMIN = { read: "null", embed: "null", write: "null" };
/** Looks up groups and data sources by every identifier in one query. */
const byAll = (field: string, ways: readonly string[], selection: string) =>
  ways.map((by, index) => `w${index}: ${field}(by: ${by}) ${selection}`).join(" ");
const text = q(q(goodSite));

/** The access matrix's rows for queries, subscriptions and the methods of the REST API. */
export const READS: readonly AccessRow[] = [
  query(
    "viewer",
    from("read", { none: "null", token: "ok" }),
    () => "viewer { accountName environment apiKey { id scope } }",
  ),
  query(
    "viewer",
    { none: "null", token: "ok", read: "null", embed: "null", write: "null", admin: "null" },
    () =>
      "viewer { userGroup { id providedId name properties version updatedAt mapping { schemaId dataSource { id providedId } } } }",
  ),
  query("userGroup", from("read"), (ids) => byAll("userGroup", groupWays(ids), GROUP)),
  query("userGroup", from("embed", { read: "null" }), (ids) =>
    byAll("userGroup", groupWays(ids), "{ token }"),
  ),
  query(
    "userGroups",
    from("read"),
    (ids) => `userGroups(filter: { providedIds: [${q(ids.providedId)}] }) { nodes ${GROUP} totalCount }`,
  ),
  query(
    "userGroups",
    from("read"),
    (ids) =>
      `userGroups(filter: { dataSource: { dataSourceId: ${ids.dataSourceId} }, schemaId: "none" }) { totalCount }`,
  ),
  query("dataSource", from("read"), (ids) => byAll("dataSource", sourceWays(ids), "{ id providedId name }")),
  query(
    "dataSources",
    from("read"),
    (ids) =>
      `dataSources(filter: { providedIds: [${q(ids.sourceProvidedId)}] }) { nodes { name } totalCount }`,
  ),
  query(
    "node",
    from("read"),
    (ids) => `a: node(id: ${q(ids.userGroup)}) { id } b: node(id: ${q(ids.dataSource)}) { id }`,
  ),
  query("nodes", from("read"), (ids) => {
    const { userGroup, dataSource, siteConfig, siteConfigRevision } = ids;
    return `nodes(ids: ${q([userGroup, dataSource, siteConfig, siteConfigRevision])}) { id __typename }`;
  }),
  query("nodes", from("admin", BELOW_ADMIN), (ids) => {
    const { apiKey, auditEntry, webhookEndpoint, webhookDelivery } = ids;
    return `nodes(ids: ${q([apiKey, auditEntry, webhookEndpoint, webhookDelivery])}) { id __typename }`;
  }),
  // What is reached from the tenant's objects, too.
  query(
    "userGroups",
    from("read"),
    () => "userGroups(first: 50) { nodes { mapping { dataSource { name } } } }",
  ),
  query(
    "dataSources",
    from("read"),
    () => "dataSources(first: 50) { nodes { userGroups(first: 50) { totalCount nodes { name } } } }",
  ),
  query(
    "siteConfigs",
    from("read"),
    () => `siteConfigs(first: 100) { nodes {
    text document settings { name } atRevision(revision: 1) { text } revisions(first: 100) { totalCount nodes { text } } diff(from: 1)
  } }`,
  ),
  query(
    "apiKeys",
    from("admin"),
    () => "apiKeys(first: 100) { totalCount nodes { name auditDays { changes } } }",
  ),
  query(
    "auditLog",
    from("admin"),
    () =>
      "auditLog(first: 100) { totalCount nodes { actor { name } subject { __typename ... on Node { id } } } }",
  ),
  query(
    "webhookEndpoints",
    from("admin"),
    () => "webhookEndpoints { nodes { name health { pendingDeliveries } } }",
  ),
  query(
    "webhookDeliveries",
    from("admin"),
    () => "webhookDeliveries(first: 100) { totalCount nodes { endpoint { name } } }",
  ),
  query("siteConfig", from("read"), ({ site }) => `siteConfig(site: ${q(site)}) { id text revision }`),
  query("siteConfigs", from("read"), () => "siteConfigs(first: 100) { nodes { site } }"),
  query(
    "validateSiteConfig",
    from("read"),
    () => `validateSiteConfig(source: { text: ${text} }) { isValid }`,
  ),
  query("apiKeys", from("admin"), () => "apiKeys(first: 100) { nodes { id name scope } }"),
  query(
    "auditLog",
    from("admin"),
    ({ providedId }) => `auditLog(filter: { subjectName: ${q(providedId)} }) { nodes { id subjectName } }`,
  ),
  query("auditDays", from("admin"), () => "auditDays(days: 7) { date changes }"),
  query("webhookEndpoints", from("admin"), () => "webhookEndpoints(first: 100) { nodes { id name url } }"),
  query(
    "webhookDeliveries",
    from("admin"),
    (ids) => `webhookDeliveries(filter: { endpointId: ${q(ids.webhookEndpoint)} }) { nodes { id payload } }`,
  ),
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
  rest("POST /api/embed-session", "embed", ({ providedId }) => ({ user_group_id: providedId })),
  rest("POST /api/embed-session", "embed", ({ token }) => ({ current_token: token })),
  rest("POST /site-config/validate", "read", () => goodSite),
  site("GET", "read", ({ site }) => site),
  site("PUT", "write", ({ newId }) => newId),
  site("DELETE", "write", ({ site }) => site),
];
