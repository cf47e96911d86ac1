import type { Data, GraphqlFixture } from "../graphql/graphql-fixture.js";

/** A URL on the public Internet that nothing is sent to. */
export const URL_OF = (path: string) => `https://93.184.216.34/${path}`;
export const ENDPOINT = "webhookEndpoint { id name url events disabledAt createdAt }";
export const LIST = `query ($filter: WebhookDeliveryFilter, $first: Int, $after: String, $last: Int, $before: String) {
  webhookDeliveries(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    totalCount
    nodes { id event state attempts nextAttemptAt endpoint { name } payload }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Creates an endpoint. @returns the payload */
export async function createEndpoint(
  { mutate }: GraphqlFixture,
  name: string,
  more: object = {},
  key?: string,
): Promise<Data> {
  const input = { name, url: URL_OF(name), ...more };
  return mutate("createWebhookEndpoint", input, `${ENDPOINT} secret`, key);
}
