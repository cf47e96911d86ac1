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

export function repeated(times: number, part: (index: number) => string): string {
  return Array.from({ length: times }, (_, index) => part(index)).join(" ");
}

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
