import { callGraphql } from "../graphql/graphql-client.js";
import type { Data } from "../graphql/graphql-fixture.js";
import type { TestAccount, TestService } from "../service/test-service.js";

/** Polls within the dispatcher's timing. */
export const FAST = { pollMs: 10, retryDelaysMs: [20, 20, 20] };

const DELIVERIES = `query ($filter: WebhookDeliveryFilter) {
  webhookDeliveries(filter: $filter, first: 100) {
    nodes { id eventId event state attempts nextAttemptAt lastStatus lastError deliveredAt payload endpoint { id name } }
  }
}`;

/** An account with an admin key, and operations for webhook tests. */
export interface WebhookTenant {
  readonly accountId: number;
  readonly key: string;
  /** Runs an operation. @returns its data @throws Error when the reply has errors */
  run(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Data>;
  /** Creates an endpoint. @returns its ID and secret */
  listen(url: string, events?: readonly string[]): Promise<{ readonly id: string; readonly secret: string }>;
  /** Creates a group. @returns its token */
  createGroup(providedId: string): Promise<string>;
  rename(providedId: string, name: string): Promise<void>;
  /** All deliveries, oldest first. */
  deliveries(filter?: Readonly<Record<string, unknown>>): Promise<Data[]>;
  replay(id: string): Promise<Data>;
}

/** @param existing the account; a new one by default */
export async function createTenant(service: TestService, existing?: TestAccount): Promise<WebhookTenant> {
  const account = existing ?? (await service.createAccount());
  const { secret: key } = await account.createKey();
  const run: WebhookTenant["run"] = async (query, variables) => {
    const { data, errors } = Object((await callGraphql(service.url, key, query, variables)).body);
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
  return {
    accountId: account.accountId,
    key,
    run,
    async listen(url, events) {
      const { createWebhookEndpoint } = await run(
        `mutation ($input: CreateWebhookEndpointInput!) {
          createWebhookEndpoint(input: $input) { webhookEndpoint { id } secret userErrors { field message } }
        }`,
        { input: { name: "receiver", url, events } },
      );
      const { webhookEndpoint, secret, userErrors } = createWebhookEndpoint;
      if (userErrors.length > 0) throw new Error(JSON.stringify(userErrors));
      return { id: webhookEndpoint.id, secret };
    },
    async createGroup(providedId) {
      const data = await run(
        `mutation ($id: String!) { createUserGroup(input: { providedId: $id, name: "Secret name" }) { userGroup { token } } }`,
        { id: providedId },
      );
      return data.createUserGroup.userGroup.token;
    },
    async rename(providedId, name) {
      await run(
        `mutation ($id: String!, $name: String!) {
          updateUserGroup(input: { by: { providedId: $id }, name: $name }) { userGroup { id } }
        }`,
        { id: providedId, name },
      );
    },
    async deliveries(filter) {
      return (await run(DELIVERIES, { filter })).webhookDeliveries.nodes.toReversed();
    },
    async replay(id) {
      const data = await run(
        `mutation ($id: ID!) {
          replayWebhookDelivery(input: { id: $id }) { webhookDelivery { state attempts eventId } userErrors { code field } }
        }`,
        { id },
      );
      return data.replayWebhookDelivery;
    },
  };
}
