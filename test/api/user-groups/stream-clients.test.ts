import { createClient as createSseClient } from "graphql-sse";
import { createClient as createSocketClient } from "graphql-ws";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { createSession, ENCRYPTION_KEY, resign } from "../../support/embed/sessions.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql({ encryptionKey: ENCRYPTION_KEY });
const WATCH = "subscription { userGroupChanged { kind userGroup { name } } }";

interface Sink {
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
}
type Client = (authorization: () => Promise<string>) => {
  subscribe(payload: { query: string; variables?: Record<string, unknown> }, sink: Sink): () => void;
};

const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 50));
/** The clients as the documentation configures them. */
const CLIENTS: Readonly<Record<string, Client>> = {
  "graphql-ws": (authorization) => {
    const client = createSocketClient({
      url: `${graphql().service.url.replace(/^http/, "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: async () => ({ authorization: await authorization() }),
      shouldRetry: () => true,
      retryAttempts: 50,
      retryWait: wait,
    });
    onTestFinished(() => client.dispose());
    return client;
  },
  "graphql-sse": (authorization) => {
    const client = createSseClient({
      url: `${graphql().service.url}/graphql`,
      headers: async () => ({ authorization: await authorization() }),
      retryAttempts: 50,
      retry: wait,
    });
    onTestFinished(() => client.dispose());
    return client;
  },
};

/** Subscribes, and records what the client reports. */
function follow(client: ReturnType<Client>, query: string): unknown[] {
  const reported: unknown[] = [];
  client.subscribe(
    { query },
    {
      next: (value) => reported.push(value),
      error: (error) => reported.push({ error }),
      complete: () => reported.push("complete"),
    },
  );
  return reported;
}

/** Ends all subscriptions, because changes may be missed. */
const loseListener = () =>
  graphql().service.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'user-groups-listener' AND datname = current_database()`);

describe.each(Object.entries(CLIENTS))("%s", (name, createClient) => {
  test("sees changes after its session has expired or its stream was lost, and the deletion", async () => {
    const { service, keys, rest } = graphql();
    const id = `stays live over ${name}`;
    const { token } = await createUserGroup(graphql(), id);
    const session = await createSession(service, keys.admin, { user_group_id: id });
    const now = Math.floor(Date.now() / 1000);
    const sessions = [await resign(service, session.token, { exp: now + 3 }), session.token];
    const reported = follow(
      createClient(async () => `Bearer ${sessions.shift() ?? session.token}`),
      WATCH,
    );
    let round = 0;
    const rename = () => {
      round += 1;
      return rest("PUT", { user_group_id: id, name: `n${round}` });
    };
    const event = (kind: string) => ({
      data: { userGroupChanged: { kind, userGroup: { name: expect.any(String) } } },
    });
    const expectChange = async () => {
      const earlier = reported.length;
      const poll = expect.poll(
        async () => {
          await rename();
          return reported.slice(earlier);
        },
        { timeout: 10_000 },
      );
      await poll.toContainEqual(event("UPDATED"));
    };
    await expectChange();
    await expect.poll(() => sessions, { timeout: 10_000 }).toEqual([]);
    await expectChange();
    await loseListener();
    await expectChange();
    // The stream ends while the client reads an event.
    for (let time = 0; time < 10; time += 1) {
      const earlier = reported.length;
      await Promise.all([rename(), loseListener()]);
      await expect.poll(() => reported.slice(earlier), { timeout: 10_000 }).toContainEqual(event("CURRENT"));
      await expectChange();
    }
    await callRest(`${service.url}/api/user`, "DELETE", keys.admin, { current_token: token });
    await expect.poll(() => reported.at(-1)).toBe("complete");
    expect(reported).not.toContainEqual({ error: expect.anything() });
  });

  test("runs queries and mutations, with one result each", async () => {
    const client = createClient(async () => `Token ${graphql().keys.admin}`);
    const id = `created over ${name}`;
    const created = follow(
      client,
      `mutation { createUserGroup(input: { providedId: "${id}", name: "New" }) { userErrors { code } } }`,
    );
    await expect.poll(() => created).toEqual([{ data: { createUserGroup: { userErrors: [] } } }, "complete"]);
    const read = follow(client, `{ userGroup(by: { providedId: "${id}" }) { name } }`);
    await expect.poll(() => read).toEqual([{ data: { userGroup: { name: "New" } } }, "complete"]);
  });
});

test("graphql-sse reports an end that arrives in the same moment as an event, instead of waiting forever", async () => {
  const { service, keys, rest } = graphql();
  const id = "ends with an event";
  await createUserGroup(graphql(), id);
  const received: Uint8Array[] = [];
  const client = createSseClient({
    url: `${service.url}/graphql`,
    headers: { authorization: `Token ${keys.admin}` },
    retryAttempts: 0,
    // Holds back the stream until it has ended.
    fetchFn: async (url: string, init: RequestInit) => {
      const reply = await fetch(url, init);
      const start = async (body: ReadableStreamDefaultController) => {
        const end = await readInto(received, reply).then(
          () => () => body.close(),
          (error) => () => body.error(error),
        );
        body.enqueue(Buffer.concat(received));
        end();
      };
      return new Response(new ReadableStream({ start: (body) => void start(body) }), reply);
    },
  });
  onTestFinished(() => client.dispose());
  const reported = follow(client, `subscription { userGroupChanged(by: { providedId: "${id}" }) { kind } }`);
  const text = () => Buffer.concat(received).toString();
  await expect.poll(text).toContain(":");
  await rest("PUT", { user_group_id: id, name: "new" });
  await expect.poll(text).toContain("UPDATED");
  await loseListener();
  await expect
    .poll(() => reported)
    .toEqual([
      { data: { userGroupChanged: { kind: "CURRENT" } } },
      { data: { userGroupChanged: { kind: "UPDATED" } } },
      { error: expect.any(Error) },
    ]);
});

async function readInto(received: Uint8Array[], { body }: Response): Promise<void> {
  for await (const chunk of body ?? []) received.push(chunk);
}

test.each([
  ["text/plain", "{ viewer { environment } }", 415],
  ["application/json", "{ nothing }", 400],
  ["application/json", `{ ${Array.from({ length: 61 }, (_, at) => `a${at}: __typename`).join(" ")} }`, 400],
])("an event stream of %s is refused for %s like a regular reply", async (type, query, status) => {
  const { service, keys } = graphql();
  const reply = await fetch(`${service.url}/graphql`, {
    method: "POST",
    headers: { authorization: `Token ${keys.admin}`, accept: "text/event-stream", "content-type": type },
    body: JSON.stringify({ query }),
  });
  expect(reply.status).toBe(status);
  expect(await reply.json()).toMatchObject({ errors: [{ extensions: { code: expect.any(String) } }] });
});
