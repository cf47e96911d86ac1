import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { SoakClient } from "./client.js";
import { type Caller, OPERATIONS, type Operation } from "./operations.js";

export interface LoadOptions {
  readonly url: string;
  /** An admin key of the environment Customer. */
  readonly key: string;
  /** The number of concurrent callers, each of which runs one operation after the other. */
  readonly callers: number;
  /** The number of operations in total. */
  readonly operations: number;
  /** The number of addresses with failed authentications. */
  readonly addresses: number;
}

/** The number of times that an operation had an outcome. */
interface Outcome {
  readonly operation: string;
  readonly outcome: string;
  count: number;
}

/** Runs random operations, valid and invalid ones, as fast as they get replies. */
export async function runLoad(options: LoadOptions): Promise<readonly Readonly<Outcome>[]> {
  const client = new SoakClient(options.url, options.key, options.callers + 10);
  const receiver = await startReceiver();
  const outcomes = new Map<string, Outcome>();
  try {
    const endpoint = await prepare(client, receiver.url);
    let remaining = options.operations;
    const takeNext = () => remaining-- > 0;
    await Promise.all(
      Array.from({ length: options.callers }, () => work(client, options, takeNext, outcomes)),
    );
    await remove(client, endpoint);
    return [...outcomes.values()];
  } finally {
    await client.close();
    receiver.close();
  }
}

async function work(
  client: SoakClient,
  { addresses }: LoadOptions,
  takeNext: () => boolean,
  outcomes: Map<string, Outcome>,
): Promise<void> {
  const caller: Caller = { client, addresses, name: randomUUID(), groups: [] };
  while (takeNext()) {
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

/** Creates the objects that the operations use. @returns the ID of a webhook endpoint for deleted groups */
async function prepare(client: SoakClient, url: string): Promise<string> {
  // Counting objects stops the event loop of the service, which counts as overload for a few seconds.
  while ((await client.graphql("{ viewer { environment } }")).status === 503) await sleep(500);
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
    // Some deliveries fail.
    response.writeHead(count % 100 === 0 ? 500 : 204).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/`, close };
}
