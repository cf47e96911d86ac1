import { callRest, type RestReply } from "../rest/rest-client.js";

/** Runs a GraphQL operation over HTTP. */
export async function callGraphql(
  url: string,
  key: string | undefined,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<RestReply> {
  return callRest(`${url}/graphql`, "POST", key, { query, variables });
}
