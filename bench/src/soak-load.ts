import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { SoakClient } from "./soak-client.js";
import { type Caller, OPERATIONS, type Operation } from "./soak-operations.js";

export interface LoadOptions {
  readonly url: string;
  /** An admin key of the environment Customer. */
  readonly key: string;
  /** How many callers there are, each of whom does one thing after the other. */
  readonly callers: number;
  /** When they stop: after some seconds, or after so many things in all. */
  readonly until: { readonly seconds: number } | { readonly operations: number };
  /** From how many addresses authentication fails. */
  readonly addresses: number;
}

/** How often an operation had an outcome. */
export interface Outcome {
  readonly operation: string;
  readonly outcome: string;
  count: number;
}

export interface LoadResult {
  readonly outcomes: readonly Readonly<Outcome>[];
  /** How many events of webhooks arrived, and came from whom we are. */
  readonly webhooks: number;
}

/** Has callers do all that can be done, well and badly, as fast as they are answered. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const client = new SoakClient(options.url, options.key, options.callers + 10);
  const receiver = await startReceiver();
  const outcomes = new Map<string, Outcome>();
  try {
    const endpoint = await prepare(client, receiver.url);
    const goesOn = limitOf(options.until);
    await Promise.all(Array.from({ length: options.callers }, () => work(client, options, goesOn, outcomes)));
    await remove(client, endpoint);
    return { outcomes: [...outcomes.values()], webhooks: receiver.count() };
  } finally {
    await client.close();
    receiver.close();
  }
}

async function work(
  client: SoakClient,
  { addresses }: LoadOptions,
  goesOn: () => boolean,
  outcomes: Map<string, Outcome>,
): Promise<void> {
  const caller: Caller = { client, addresses, name: randomUUID(), groups: [] };
  while (goesOn()) {
    const { name: operation, run } = pick();
    const outcome = await run(caller).catch((error: unknown) => `no reply (${String(error)})`);
    const key = `${operation}: ${outcome}`;
    const counted = outcomes.get(key) ?? { operation, outcome, count: 0 };
    counted.count += 1;
    outcomes.set(key, counted);
  }
}

function pick(): Operation {
  let rest = Math.random() * OPERATIONS.reduce((sum, { weight }) => sum + weight, 0);
  for (const operation of OPERATIONS) {
    rest -= operation.weight;
    if (rest < 0) return operation;
  }
  throw new Error("The weights do not add up.");
}

function limitOf(until: LoadOptions["until"]): () => boolean {
  if ("seconds" in until) {
    const end = performance.now() + until.seconds * 1000;
    return () => performance.now() < end;
  }
  let left = until.operations;
  return () => {
    left -= 1;
    return left >= 0;
  };
}

/** Makes what the operations use. @returns the id of the endpoint that is told of deleted groups */
async function prepare(client: SoakClient, url: string): Promise<string> {
  const source = { providedId: "sales", name: "Sales" };
  await client.graphql(
    `mutation ($input: CreateDataSourceInput!) { createDataSource(input: $input) { userErrors { code } } }`,
    { input: source },
  );
  const { body } = await client.graphql(
    `mutation ($input: CreateWebhookEndpointInput!) {
      createWebhookEndpoint(input: $input) { webhookEndpoint { id } userErrors { message } }
    }`,
    { input: { name: "soak", url, events: ["USER_GROUP_DELETED"] } },
  );
  return body.data.createWebhookEndpoint.webhookEndpoint.id;
}

async function remove(client: SoakClient, id: string): Promise<void> {
  const mutation = `mutation ($id: ID!) { deleteWebhookEndpoint(input: { id: $id }) { userErrors { message } } }`;
  await client.graphql(mutation, { id });
}

async function startReceiver() {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    count += 1;
    // Some receivers are not well.
    response.writeHead(count % 100 === 0 ? 500 : 204).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/`, count: () => count, close };
}
