import type { Data, GraphqlFixture } from "../graphql/graphql-fixture.js";

/** A URL on the public Internet that nothing is sent to. */
export const URL_OF = (path: string) => `https://93.184.216.34/${path}`;
export const ENDPOINT = "webhookEndpoint { id name url events disabledAt createdAt }";
const ERRORS = "userErrors { code field message }";
export const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { ${ENDPOINT} secret ${ERRORS} }
}`;
export const UPDATE = `mutation ($input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(input: $input) { ${ENDPOINT} ${ERRORS} }
}`;
export const ROTATE = `mutation ($input: RotateWebhookSecretInput!) {
  rotateWebhookSecret(input: $input) { ${ENDPOINT} secret ${ERRORS} }
}`;
export const DELETE = `mutation ($input: DeleteWebhookEndpointInput!) {
  deleteWebhookEndpoint(input: $input) { deletedWebhookEndpointId ${ERRORS} }
}`;
export const REPLAY = `mutation ($input: ReplayWebhookDeliveryInput!) {
  replayWebhookDelivery(input: $input) { webhookDelivery { state } ${ERRORS} }
}`;
export const SEND_TEST = `mutation ($input: SendTestWebhookInput!) {
  sendTestWebhook(input: $input) { webhookDelivery { id event state } ${ERRORS} }
}`;
export const LIST = `query ($filter: WebhookDeliveryFilter, $first: Int, $after: String, $last: Int, $before: String) {
  webhookDeliveries(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    totalCount
    nodes { id event state attempts nextAttemptAt endpoint { name } payload }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Creates an endpoint. @returns the payload */
export async function createEndpoint(
  { run }: GraphqlFixture,
  name: string,
  more: object = {},
  key?: string,
): Promise<Data> {
  const input = { name, url: URL_OF(name), ...more };
  return (await run(CREATE, { input }, key)).createWebhookEndpoint;
}
