import { callGraphql, runMutation } from "../graphql/graphql-client.js";
import type { Data } from "../graphql/graphql-fixture.js";
import { startService, type TestAccount, type TestService } from "../service/test-service.js";

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
  /** Runs a mutation. @returns its payload @throws Error when it has errors */
  mutate(name: string, input: object, selection?: string): Promise<Data>;
  /** Creates an endpoint. @returns its ID and secret */
  listen(url: string, events?: readonly string[]): Promise<{ readonly id: string; readonly secret: string }>;
  /** Creates a group. @returns its token */
  createGroup(providedId: string): Promise<string>;
  rename(providedId: string, name: string): Promise<void>;
  /** All deliveries, oldest first. */
  deliveries(filter?: Readonly<Record<string, unknown>>): Promise<Data[]>;
  replay(id: string): Promise<Data>;
}

/** Starts a service for a test file, which delivers to private addresses. */
export async function startWebhooks(
  webhooks: Partial<NonNullable<Parameters<typeof startService>[0]>["webhooks"]> = {},
): Promise<TestService> {
  const service = await startService({ webhooks: { allowPrivate: true, times: FAST, ...webhooks } });
  service.services.webhookDispatcher.start(service.server.log);
  return service;
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
  let count = 0;
  const send = (query: string, variables: object) => run(query, { ...variables });
  const mutate: WebhookTenant["mutate"] = async (name, input, selection) => {
    const { userErrors, ...payload } = await runMutation(send, name, input, selection);
    if (userErrors.length > 0) throw new Error(JSON.stringify(userErrors));
    return payload;
  };
  return {
    accountId: account.accountId,
    key,
    run,
    mutate,
    async listen(url, events) {
      count += 1;
      const input = { name: `receiver ${count}`, url, events };
      const { webhookEndpoint, secret } = await mutate(
        "createWebhookEndpoint",
        input,
        "webhookEndpoint { id } secret",
      );
      return { id: webhookEndpoint.id, secret };
    },
    async createGroup(providedId) {
      const input = { providedId, name: "Secret name" };
      return (await mutate("createUserGroup", input, "userGroup { token }")).userGroup.token;
    },
    rename: (providedId, name) => mutate("updateUserGroup", { by: { providedId }, name }),
    async deliveries(filter) {
      return (await run(DELIVERIES, { filter })).webhookDeliveries.nodes.toReversed();
    },
    replay: (id) =>
      runMutation(send, "replayWebhookDelivery", { id }, "webhookDelivery { state attempts eventId }"),
  };
}
