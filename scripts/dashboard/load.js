// @ts-check
import { once } from "node:events";
import { createServer, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const GROUPS = 60;
const READ =
  "query ($id: String!) { userGroup(by: { providedId: $id }) { name properties mapping { schemaId } } }";
const LIST = "{ userGroups(first: 50) { nodes { name providedId } } }";
const CREATE_ENDPOINT =
  'mutation ($url: String!) { createWebhookEndpoint(input: { name: "CRM", url: $url }) { userErrors { message } } }';
const SUBSCRIBE = "subscription { userGroupChanged { kind } }";

/**
 * Sends a mix of requests whose rate rises and falls, with errors and a webhook receiver that fails for a while.
 * @param {{ url: string, key: string, seconds: number }} options
 */
export async function sendLoad({ url, key, seconds }) {
  const start = Date.now();
  const progress = () => (Date.now() - start) / 1000 / seconds;
  const receiver = createServer((_request, response) => {
    const isFailing = progress() > 0.5 && progress() < 0.7;
    setTimeout(() => response.writeHead(isFailing ? 503 : 204).end(), 20);
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = receiver.address();
  const port = typeof address === "object" ? address?.port : 0;
  await graphql(CREATE_ENDPOINT, { url: `http://127.0.0.1:${port}/hook` });
  const stream = new AbortController();
  const headers = {
    authorization: `Token ${key}`,
    "content-type": "application/json",
    accept: "text/event-stream",
  };
  const events = await fetch(`${url}/graphql`, {
    method: "POST",
    headers,
    body: JSON.stringify({ query: SUBSCRIBE }),
    signal: stream.signal,
  });
  for (let index = 0; index < GROUPS; index += 1)
    await rest("GET", { user_group_id: `group-${index}`, name: `Group ${index}` });
  for (let turn = 0; progress() < 1; turn += 1) {
    const id = `group-${turn % GROUPS}`;
    /** @type {Promise<unknown>[]} */
    const calls = [
      rest("GET", { user_group_id: id }),
      graphql(READ, { id }),
      graphql(READ, { id: `group-${(turn * 7) % GROUPS}` }),
    ];
    if (turn % 3 === 0) calls.push(rest("PUT", { user_group_id: id, properties: { turn } }));
    if (turn % 5 === 0) calls.push(graphql(LIST, {}));
    if (turn % 11 === 0) calls.push(rest("PUT", { user_group_id: "unknown", name: "x" }));
    if (turn % 17 === 0) calls.push(rest("PUT", { user_group_id: id, name: 1 }));
    if (turn % 23 === 0) calls.push(rest("POST", { user_group_id: id }, "/api/embed-session"));
    if (turn % 29 === 0) calls.push(rest("GET", { user_group_id: id }, "/api/user", "ugk_live_wrong"));
    await Promise.all(calls);
    await sleep(60 + 50 * Math.sin(progress() * 12));
  }
  stream.abort();
  await events.body?.cancel().catch(() => undefined);
  receiver.close();
  receiver.closeAllConnections();

  /** @param {string} query @param {object} variables */
  async function graphql(query, variables) {
    const authorization = `Token ${key}`;
    const body = JSON.stringify({ query, variables });
    const reply = await fetch(`${url}/graphql`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body,
    });
    const text = await reply.text();
    if (text.includes('"errors"') || text.includes('"userErrors":[{')) throw new Error(text);
  }

  /** @param {string} method @param {object} body @param {string} path @param {string} credential */
  async function rest(method, body, path = "/api/user", credential = key) {
    const text = JSON.stringify(body);
    const headers = {
      authorization: `Token ${credential}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    };
    const sent = request(`${url}${path}`, { method, headers }).end(text);
    const [reply] = await once(sent, "response");
    await once(reply.resume(), "end");
  }
}
