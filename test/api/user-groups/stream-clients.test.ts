import { createClient as createSseClient } from "graphql-sse";
import { describe, expect, onTestFinished, test } from "vitest";
import { followStream, STREAM_CLIENTS } from "../../support/clients/stream-clients.js";
import { createSession, ENCRYPTION_KEY, resign } from "../../support/embed/sessions.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql({ encryptionKey: ENCRYPTION_KEY });
const WATCH = "subscription { userGroupChanged { kind userGroup { name } } }";

/** Ends all subscriptions, because changes may be missed. */
const loseListener = () =>
  graphql().service.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'user-groups-listener' AND datname = current_database()`);

describe.each(Object.entries(STREAM_CLIENTS))("%s", (name, createClient) => {
  test("sees changes after its session has expired or its stream was lost, and the deletion", async () => {
    const { service, keys, rest } = graphql();
    const id = `stays live over ${name}`;
    const { token } = await createUserGroup(graphql(), id);
    const session = await createSession(service, keys.admin, { user_group_id: id });
    const now = Math.floor(Date.now() / 1000);
    const sessions = [await resign(service, session.token, { exp: now + 3 }), session.token];
    const reported = followStream(
      createClient(service.url, async () => `Bearer ${sessions.shift() ?? session.token}`),
      WATCH,
    );
    const changes = () => reported.map((value) => Object(value).data?.userGroupChanged);
    const starts = () => changes().filter(({ kind }) => kind === "CURRENT").length;
    let round = 0;
    const rename = () => {
      round += 1;
      return rest("PUT", { user_group_id: id, name: `n${round}` });
    };
    const expectShown = () =>
      expect.poll(() => changes().at(-1)?.userGroup.name, { timeout: 10_000 }).toBe(`n${round}`);
    await expect.poll(starts).toBe(1);
    await rename();
    await expectShown();
    // The first session expires.
    await expect.poll(starts, { timeout: 10_000 }).toBe(2);
    await rename();
    await expectShown();
    // The stream ends while the client reads an event.
    for (let time = 0; time < 10; time += 1) {
      const before = starts();
      await Promise.all([rename(), loseListener()]);
      await expect.poll(starts, { timeout: 10_000 }).toBeGreaterThan(before);
      await expectShown();
    }
    await callRest(`${service.url}/api/user`, "DELETE", keys.admin, { current_token: token });
    await expect.poll(() => reported.at(-1)).toBe("complete");
    expect(reported).not.toContainEqual({ error: expect.anything() });
  });

  test("runs queries and mutations, with one result each", async () => {
    const client = createClient(graphql().service.url, async () => `Token ${graphql().keys.admin}`);
    const id = `created over ${name}`;
    const created = followStream(
      client,
      `mutation { createUserGroup(input: { providedId: "${id}", name: "New" }) { userErrors { code } } }`,
    );
    await expect.poll(() => created).toEqual([{ data: { createUserGroup: { userErrors: [] } } }, "complete"]);
    const read = followStream(client, `{ userGroup(by: { providedId: "${id}" }) { name } }`);
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
  const reported = followStream(
    client,
    `subscription { userGroupChanged(by: { providedId: "${id}" }) { kind } }`,
  );
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
