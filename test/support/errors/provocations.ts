import { ERROR_CODES, type ErrorCode } from "../../../src/domain/shared/error-catalogue.js";
import { times } from "../graphql/graphql-client.js";
import type { GraphqlFixture } from "../graphql/graphql-fixture.js";
import { callRest, type RestReply } from "../rest/rest-client.js";

/** A request to one of the two APIs. */
export interface Operation {
  /** The GraphQL document, with an optional extension; or else `body`. */
  readonly query?: string;
  readonly variables?: object;
  readonly operationName?: string;
  readonly extensions?: object;
  readonly body?: unknown;
  readonly contentType?: string;
  /** POST for GraphQL and GET for REST by default. */
  readonly method?: string;
  /** Path of the REST request: /api/user by default. */
  readonly path?: string;
  /** The admin key by default; `token` is the token of the group `acme`. */
  readonly key?: "read" | "token" | "wrong";
}

/** A well-formed ID of an object that does not exist. */
export const ID_OF_NOTHING = "00000000-0000-0000-0000-000000000000";

/** Returns a selection of this many levels below a user group. */
export function nested(levels: number): string {
  return levels <= 1
    ? "{ name }"
    : `{ mapping { dataSource { userGroups { nodes ${nested(levels - 4)} } } } }`;
}

/** Returns a mutation that selects its user errors. */
export function mutation(name: string, input: string): string {
  return `mutation { ${name}(input: { ${input} }) { userErrors { code } } }`;
}

/** Sends a request to the REST API. */
export async function sendToRest(
  fixture: GraphqlFixture,
  token: string,
  operation: Operation,
): Promise<RestReply> {
  const { path = "/api/user", method = "GET", body, contentType } = operation;
  const headers = {
    authorization: authorizationOf(fixture, token, operation),
    ...(contentType === undefined ? {} : { "content-type": contentType }),
  };
  return callRest(fixture.service.url + path, method, undefined, body, headers);
}

/** Sends a request to the GraphQL API, for a reply of the media type. */
export async function sendToGraphql(
  fixture: GraphqlFixture,
  token: string,
  operation: Operation & { readonly accept: string },
): Promise<RestReply> {
  const { query, variables, operationName, extensions, accept, method = "POST", contentType } = operation;
  const { body = { query, variables, operationName, extensions } } = operation;
  const headers = {
    authorization: authorizationOf(fixture, token, operation),
    accept,
    ...(contentType === undefined ? {} : { "content-type": contentType }),
  };
  return callRest(`${fixture.service.url}/graphql`, method, undefined, body, headers);
}

function authorizationOf({ keys }: GraphqlFixture, token: string, { key }: Operation): string {
  if (key === "token") return `Bearer ${token}`;
  return `Token ${key === undefined ? keys.admin : key === "read" ? keys.read : "ugk_live_wrong"}`;
}

const PLACES = ["REST", "errors", "userErrors", "event stream", "last event", "end of a stream"] as const;
/**
 * Where callers find an error code. `errors` and `userErrors` are those of GraphQL; an event stream that cannot start has `errors`, too,
 * and one that has started has them in its last event, or just ends if it may start again.
 */
export type Place = (typeof PLACES)[number];

/** A request that fails with the code; or the test that provokes the code, if that takes more than one request. */
type Provocation = Operation | `test/${string}.test.ts`;
type Provocations = Partial<Readonly<Record<Place, Provocation>>>;

const UUID = "7c3a5d5e-0f0b-4f7e-9b59-2f9d8f8f5a10";
const WATCH = "{ kind userGroup { name } }";
const CREATE = (values: string) => mutation("createUserGroup", values);
const LIST_OF_ALL = "userGroups(first: 100) { nodes { name properties mapping { schemaId } } }";

/** A provocation of each code in each place where it occurs. The group `acme` uses the data source `sales`. */
const PROVOCATIONS: Readonly<Record<ErrorCode, Provocations>> = {
  bad_request: {
    REST: "test/api/server/hostile-sockets.test.ts",
    errors: { query: "{ __typename }", extensions: { persistedQuery: { version: 1, sha256Hash: "0" } } },
    "event stream": { query: "subscription {" },
  },
  invalid_json: {
    REST: { body: "{" },
    errors: { body: "{" },
    "event stream": { body: "{" },
  },
  invalid_field: {
    REST: { body: { user_group_id: "" } },
    errors: { query: "{ userGroups(first: 100000) { totalCount } }" },
    userErrors: { query: CREATE('providedId: "", name: "x"') },
    "event stream": { query: `subscription { userGroupChanged(by: { providedId: "" }) ${WATCH} }` },
  },
  unauthenticated: {
    REST: { key: "wrong" },
    errors: { query: "{ viewer { environment } }", key: "wrong" },
    "event stream": { query: `subscription { userGroupChanged ${WATCH} }`, key: "wrong" },
    "end of a stream": "test/api/user-groups/subscription.test.ts",
  },
  forbidden: {
    REST: { key: "read", body: { user_group_id: "acme" } },
    errors: { query: CREATE('providedId: "x", name: "x"'), key: "read" },
    "event stream": { query: "subscription { userGroupChanged { userGroup { teamId } } }", key: "token" },
  },
  not_found: { REST: { path: "/api/nothing" } },
  user_group_not_found: {
    REST: { method: "POST", body: { current_token: "x" } },
    userErrors: { query: mutation("updateUserGroup", 'by: { providedId: "nobody" }, name: "x"') },
    "event stream": { query: `subscription { userGroupChanged(by: { providedId: "nobody" }) ${WATCH} }` },
  },
  data_source_not_found: {
    userErrors: { query: mutation("updateDataSource", 'by: { providedId: "nowhere" }, name: "x"') },
  },
  api_key_not_found: { userErrors: { query: mutation("revokeApiKey", `id: "${ID_OF_NOTHING}"`) } },
  site_config_not_found: {
    REST: { path: "/site-config/nowhere" },
    userErrors: { query: mutation("setSiteConfigVisibility", 'site: "nowhere", isPublic: true') },
  },
  webhook_endpoint_not_found: {
    userErrors: { query: mutation("deleteWebhookEndpoint", `id: "${ID_OF_NOTHING}"`) },
  },
  webhook_delivery_not_found: {
    userErrors: { query: mutation("replayWebhookDelivery", `id: "${ID_OF_NOTHING}"`) },
  },
  session_template_not_found: {
    REST: { method: "POST", path: "/api/embed-session/nothing", body: { user_group_id: "acme" } },
    errors: {
      query: '{ userGroup(by: { providedId: "acme" }) { sessionClaims(template: "nothing") { claims } } }',
    },
    userErrors: { query: mutation("deleteSessionTemplate", 'by: { name: "nothing" }') },
  },
  bulk_change_not_found: {
    userErrors: { query: mutation("undoBulkChange", `id: "${UUID}", bulkChangeId: "${UUID}"`) },
  },
  bulk_change_mismatch: { userErrors: "test/api/user-groups/bulk-changes.test.ts" },
  history_incomplete: { userErrors: "test/api/user-groups/bulk-changes.test.ts" },
  session_template_exists: { userErrors: "test/api/session-templates/templates.test.ts" },
  method_not_allowed: {
    REST: { method: "PATCH" },
    errors: { method: "PUT", query: "{ __typename }" },
  },
  user_group_mismatch: {
    REST: "test/api/rest/user-groups.test.ts",
    userErrors: {
      query: mutation("deleteUserGroup", 'by: { providedId: "acme" }, dataSourceProvidedId: "x"'),
    },
  },
  user_group_exists: { userErrors: { query: CREATE('providedId: "acme", name: "x"') } },
  data_source_exists: {
    userErrors: { query: mutation("createDataSource", 'providedId: "sales", name: "x"') },
  },
  data_source_in_use: { userErrors: { query: mutation("deleteDataSource", 'by: { providedId: "sales" }') } },
  version_conflict: {
    REST: "test/api/site-configs/http-changes.test.ts",
    userErrors: {
      query: mutation("updateUserGroup", 'by: { providedId: "acme" }, expectedVersion: 9, name: "x"'),
    },
  },
  invalid_site_config: {
    REST: "test/api/site-configs/http-changes.test.ts",
    userErrors: { query: mutation("putSiteConfig", 'source: { text: "{}" }') },
  },
  idempotency_mismatch: {
    REST: "test/api/rest/idempotency.test.ts",
    errors: "test/api/requests/graphql-idempotency.test.ts",
  },
  idempotency_key_in_use: {
    REST: "test/api/rest/idempotency.test.ts",
    errors: "test/api/requests/graphql-idempotency.test.ts",
  },
  payload_too_large: {
    REST: { method: "PUT", body: "x".repeat(1024 * 1024 + 1) },
    errors: { body: "x".repeat(4 * 1024 * 1024 + 1) },
    "event stream": { query: `subscription { userGroupChanged ${WATCH} } #${"x".repeat(16_384)}` },
  },
  unsupported_media_type: {
    REST: { method: "PUT", body: "<x/>", contentType: "application/xml" },
    errors: { body: "<x/>", contentType: "application/xml" },
    "event stream": { body: "<x/>", contentType: "application/xml" },
  },
  unknown_data_source: {
    REST: { body: { user_group_id: "new", name: "New", mapping: { a: "nowhere" } } },
    userErrors: {
      query: CREATE('providedId: "new", name: "New", mapping: [{ schemaId: "a", dataSource: "nowhere" }]'),
    },
  },
  batch_rejected: { userErrors: "test/api/user-groups/bulk-edits.test.ts" },
  rate_limited: {
    REST: "test/api/requests/rate-limits.test.ts",
    errors: "test/api/requests/rate-limits.test.ts",
    "event stream": "test/api/user-groups/event-streams.test.ts",
  },
  slow_consumer: { "end of a stream": "test/api/user-groups/subscription-faults.test.ts" },
  query_too_deep: {
    errors: { query: `{ userGroups { nodes ${nested(12)} } }` },
    "event stream": { query: `subscription { userGroupChanged { userGroup ${nested(12)} } }` },
  },
  too_many_aliases: {
    errors: { query: `{ viewer { ${times(61, (index) => `a${index}: environment`)} } }` },
    "event stream": {
      query: `subscription { userGroupChanged { ${times(61, (index) => `a${index}: kind`)} } }`,
    },
  },
  too_many_root_fields: { errors: { query: `{ ${times(61, () => "__typename")} }` } },
  too_many_tokens: {
    errors: { query: `{ ${times(4001, () => "x")} }` },
    "event stream": { query: `subscription { ${times(4001, () => "x")} }` },
  },
  query_too_expensive: {
    REST: "test/api/server/openapi-live.test.ts",
    errors: { query: `{ ${times(50, (index) => `a${index}: ${LIST_OF_ALL}`)} }` },
    "last event": "test/api/user-groups/event-streams-unread.test.ts",
  },
  query_not_allowed: {
    errors: "test/api/graphql/persisted.test.ts",
    "event stream": "test/api/user-groups/subscription.test.ts",
  },
  batching_disabled: {
    errors: { body: [{ query: "{ __typename }" }] },
    "event stream": { body: [{ query: "subscription { __typename }" }] },
  },
  internal: {
    REST: "test/api/server/internal-errors.test.ts",
    errors: "test/api/server/internal-errors.test.ts",
  },
  unavailable: {
    REST: "test/api/requests/request-deadline-scopes.test.ts",
    errors: "test/api/requests/request-deadline.test.ts",
    "end of a stream": "test/process/faults/background.test.ts",
  },
};

/** Returns the places where a code occurs. */
export function placesOf(code: ErrorCode): readonly Place[] {
  return PLACES.filter((place) => PROVOCATIONS[code][place] !== undefined);
}

/** Returns all provocations of a place that are one request. */
export function operationsOf(place: Place): readonly (readonly [ErrorCode, Operation])[] {
  return ERROR_CODES.flatMap((code) => {
    const provocation = PROVOCATIONS[code][place];
    return typeof provocation === "object" ? [[code, provocation] as const] : [];
  });
}

/** Returns the tests that provoke a code, with their codes. */
export function provokingTests(): readonly (readonly [ErrorCode, string])[] {
  return ERROR_CODES.flatMap((code) =>
    Object.values(PROVOCATIONS[code]).flatMap((provocation) =>
      typeof provocation === "string" ? [[code, provocation] as const] : [],
    ),
  );
}

/** Apollo's codes for requests that GraphQL refuses before it executes anything. REST has none of them. */
export const DOCUMENT_CODES = {
  GRAPHQL_PARSE_FAILED: {
    json: 200,
    graphqlJson: 400,
    meaning: "The document is not GraphQL.",
    advice: "Fix the syntax at `locations`.",
  },
  GRAPHQL_VALIDATION_FAILED: {
    json: 200,
    graphqlJson: 400,
    meaning: "The document does not match the schema.",
    advice: "Fix the field, argument or type in the message; generated types find it before the request.",
  },
  BAD_USER_INPUT: {
    json: 200,
    graphqlJson: 400,
    meaning: "A variable does not match its type.",
    advice: "Fix the variable in the message.",
  },
  OPERATION_RESOLUTION_FAILURE: {
    json: 400,
    graphqlJson: 400,
    meaning: "`operationName` is missing or names no operation of the document.",
    advice: "Send the name of an operation of the document.",
  },
  PERSISTED_QUERY_NOT_FOUND: {
    json: 200,
    graphqlJson: 200,
    meaning: "The service does not know the hash of an automatic persisted query.",
    advice: "Send the query with its hash; clients that support persisted queries do so themselves.",
  },
} as const;

export type DocumentCode = keyof typeof DOCUMENT_CODES;
