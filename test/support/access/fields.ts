import type { Scope } from "../../../src/domain/accounts/caller.js";

/** A field below an object that every reader gets: the least scope that reads it, and the outcome below that scope. */
interface Restriction {
  readonly least: Scope;
  /** Null without an error, or an error code. */
  readonly below: "null" | "FORBIDDEN";
}

/** The fields of an object type. */
export interface TypeAccess {
  /** Returns a query for these fields of an object of the type. */
  readonly reach: (fields: string) => string;
  /** The least scope that reaches the type. */
  readonly least: Scope;
  /** Fields that every caller reads who reaches the type, with their required arguments. */
  readonly fields: string;
  readonly restricted?: Readonly<Record<string, Restriction>>;
}

function read(reach: TypeAccess["reach"], fields: string, restricted?: TypeAccess["restricted"]): TypeAccess {
  return { reach, least: "read", fields, ...(restricted && { restricted }) };
}

function write(reach: TypeAccess["reach"], fields: string): TypeAccess {
  return { reach, least: "write", fields };
}

function admin(reach: TypeAccess["reach"], fields: string): TypeAccess {
  return { reach, least: "admin", fields };
}

const group = (text: string) => `{ userGroup(by: { providedId: "fields" }) { ${text} } }`;
const site = (text: string) => `{ siteConfig(site: "fields") { ${text} } }`;

/** The connection of a type and its edge. */
function listed(type: string, scope: typeof read | typeof write | typeof admin, reach: TypeAccess["reach"]) {
  return {
    [`${type}Connection`]: scope(reach, "edges nodes pageInfo totalCount"),
    [`${type}Edge`]: scope((fields) => reach(`edges { ${fields} }`), "cursor node"),
  };
}

/** Who reads which field. A field without a row fails the test: decide its scope. */
export const FIELDS: Readonly<Record<string, TypeAccess>> = {
  ApiKey: read(
    (f) => `{ viewer { apiKey { ${f} } } }`,
    "createdAt environment expiresAt hint id lastUsedAt name revokedAt scope",
    { auditDays: { least: "admin", below: "FORBIDDEN" } },
  ),
  ...listed("ApiKey", admin, (text) => `{ apiKeys(first: 1) { ${text} } }`),
  AuditDay: admin((f) => `{ auditDays(days: 1) { ${f} } }`, "changes date"),
  AuditEntry: admin(
    (f) => `{ auditLog(first: 1) { nodes { ${f} } } }`,
    "action actor actorName bulkChangeId changed createdAt id requestId sessionId subject subjectId subjectName subjectVersion",
  ),
  ...listed("AuditEntry", admin, (text) => `{ auditLog(first: 1) { ${text} } }`),
  BulkChange: write(
    (f) => `{ bulkChanges(first: 1) { nodes { ${f} } } }`,
    "authorName changed changedCount createdAt id undoOf updatedAt",
  ),
  ...listed("BulkChange", write, (text) => `{ bulkChanges(first: 1) { ${text} } }`),
  DataSource: read(
    (f) => `{ dataSource(by: { providedId: "sales" }) { ${f} } }`,
    "createdAt dataSourceId id name providedId userGroups version",
  ),
  ...listed("DataSource", read, (text) => `{ dataSources(first: 1) { ${text} } }`),
  EmbedSession: read((f) => `{ viewer { embedSession { ${f} } } }`, "expiresAt variables"),
  EmbedSessionDay: admin((f) => group(`embedSessionDays(days: 1) { ${f} }`), "date sessions"),
  MappingEntry: read((f) => group(`mapping { ${f} }`), "dataSource schemaId"),
  PageInfo: read(
    (f) => `{ userGroups(first: 1) { pageInfo { ${f} } } }`,
    "endCursor hasNextPage hasPreviousPage startCursor",
  ),
  PropertyFinding: read((f) => `{ propertySchema { findings { nodes { ${f} } } } }`, "errors userGroup"),
  PropertyReport: read((f) => `{ propertySchema { findings { ${f} } } }`, "checked endCursor invalid nodes"),
  PropertySchema: read((f) => `{ propertySchema { ${f} } }`, "findings id mode schema updatedAt version"),
  SessionClaims: read((f) => group(`sessionClaims(template: "fields") { ${f} }`), "claims errors"),
  SessionTemplate: read(
    (f) => `{ sessionTemplate(by: { name: "fields" }) { ${f} } }`,
    "algorithm claims createdAt description hasSecret header id issuer keySetUrl lifetimeSeconds name updatedAt url version",
  ),
  ...listed("SessionTemplate", read, (text) => `{ sessionTemplates(first: 1) { ${text} } }`),
  SessionTemplateCheck: admin(
    (f) =>
      `{ sessionTemplateCheck(input: { algorithm: ES256, claims: {}, by: { providedId: "fields" } }) { ${f} } }`,
    "checked errors refused sessionClaims",
  ),
  SiteConfig: read(
    site,
    "atRevision(revision:1) createdAt diff(from:1) document id isPublic publicPath report revision revisions settings site text updatedAt",
  ),
  ...listed("SiteConfig", read, (text) => `{ siteConfigs(first: 1) { ${text} } }`),
  SiteConfigFinding: read(
    (f) => site(`report { warnings { ${f} } }`),
    "code column count line message pointer",
  ),
  SiteConfigReport: read((f) => site(`report { ${f} }`), "errors isValid notices warnings"),
  SiteConfigRevision: read(
    (f) => site(`atRevision(revision: 1) { ${f} }`),
    "authorName createdAt document id report restoredFrom revision settings text",
    { author: { least: "admin", below: "null" } },
  ),
  ...listed("SiteConfigRevision", read, (text) => site(`revisions(first: 1) { ${text} }`)),
  UsageDay: read((f) => `{ usageDays(days: 1) { ${f} } }`, "calls date embedSessions errors userGroups"),
  UserGroup: read(
    group,
    'createdAt environment id mapping name properties propertyErrors providedId sessionClaims(template:"fields") teamId updatedAt variableDefaults version',
    {
      auditLog: { least: "admin", below: "FORBIDDEN" },
      embedSessionDays: { least: "admin", below: "FORBIDDEN" },
      history: { least: "write", below: "FORBIDDEN" },
      token: { least: "embed", below: "null" },
    },
  ),
  ...listed("UserGroup", read, (text) => `{ userGroups(first: 1) { ${text} } }`),
  UserGroupVersion: write(
    (f) => group(`history(first: 1) { nodes { ${f} } }`),
    "bulkChangeId mapping name properties replacedAt replacedBy version",
  ),
  ...listed("UserGroupVersion", write, (text) => group(`history(first: 1) { ${text} }`)),
  Viewer: read(
    (f) => `{ viewer { ${f} } }`,
    "accountName apiKey embedSession environment scope tokenGraceSeconds userGroup userGroupHistoryDays",
  ),
  WebhookDelivery: admin(
    (f) => `{ webhookDeliveries(first: 1) { nodes { ${f} } } }`,
    "attempts createdAt deliveredAt endpoint event eventId id lastError lastStatus nextAttemptAt payload state",
  ),
  ...listed("WebhookDelivery", admin, (text) => `{ webhookDeliveries(first: 1) { ${text} } }`),
  WebhookEndpoint: admin(
    (f) => `{ webhookEndpoints(first: 1) { nodes { ${f} } } }`,
    "createdAt disabledAt events health id name url version",
  ),
  ...listed("WebhookEndpoint", admin, (text) => `{ webhookEndpoints(first: 1) { ${text} } }`),
  WebhookEndpointHealth: admin(
    (f) => `{ webhookEndpoints(first: 1) { nodes { health { ${f} } } } }`,
    "consecutiveFailures disabledReason failingSince lastError lastFailureAt lastSuccessAt pausedUntil pendingDeliveries status",
  ),
};

/** Types that only render parts of a site's document, which every reader of the site gets. */
export const DOCUMENT_TYPES: readonly string[] = [
  "SiteAnchor",
  "SiteApi",
  "SiteApiAuth",
  "SiteApiPlayground",
  "SiteColorPair",
  "SiteColors",
  "SiteCtaButton",
  "SiteFeedback",
  "SiteGradient",
  "SiteLink",
  "SiteLogoImage",
  "SiteLogoImages",
  "SiteModeToggle",
  "SiteNavigationGroup",
  "SitePage",
  "SiteSettings",
  "SiteSocials",
  "SiteSolidColor",
  "SiteTab",
  "SiteTopAnchor",
];

/** The fields that front ends read (decision 15), each with a document that selects it. Everything else is refused. */
export const FRONT_END_FIELDS: Readonly<
  Record<string, { readonly reach: (fields: string) => string; readonly allowed: string }>
> = {
  Query: { reach: (f) => `{ ${f} }`, allowed: "viewer" },
  Mutation: { reach: (f) => `mutation { ${f} }`, allowed: "" },
  Subscription: { reach: (f) => `subscription { ${f} }`, allowed: "userGroupChanged" },
  UserGroupChange: {
    reach: (f) => `subscription { userGroupChanged { ${f} } }`,
    allowed: "kind userGroup userGroupId version",
  },
  Viewer: {
    reach: (f) => `{ viewer { ${f} } }`,
    allowed: "accountName apiKey embedSession environment tokenGraceSeconds userGroup",
  },
  EmbedSession: { reach: (f) => `{ viewer { embedSession { ${f} } } }`, allowed: "expiresAt variables" },
  ApiKey: {
    reach: (f) => `{ viewer { apiKey { ${f} } } }`,
    allowed: "createdAt environment expiresAt hint id lastUsedAt name revokedAt scope",
  },
  UserGroup: {
    reach: (f) => `{ viewer { userGroup { ${f} } } }`,
    allowed: "id mapping name properties providedId updatedAt variableDefaults version",
  },
  MappingEntry: {
    reach: (f) => `{ viewer { userGroup { mapping { ${f} } } } }`,
    allowed: "dataSource schemaId",
  },
  DataSource: {
    reach: (f) => `{ viewer { userGroup { mapping { dataSource { ${f} } } } } }`,
    allowed: "id providedId",
  },
};
