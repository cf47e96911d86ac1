import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { openGroupStream } from "../support/graphql/event-stream-client.js";
import { createTestDatabase } from "../support/postgres/test-database.js";
import { jsonRequest, openKeepAliveClient, userRequest } from "../support/rest/keep-alive-client.js";
import { startTestService } from "../support/service/test-service.js";

const WATCH = "subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind userGroup { name } } }";

test("connections still in the accept queue are served before the server stops listening", async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const { secret } = await (await service.createAccount()).createKey();
  const clients = Promise.all(Array.from({ length: 50 }, () => openKeepAliveClient(service.url)));
  // In the same turn of the event loop: they are only in the system's accept queue.
  const closed = service.server.close();
  for (const client of await clients)
    client.write(userRequest("GET", secret, { user_group_id: "a", name: "A" }));
  for (const client of await clients) {
    expect(await client.next()).toMatchObject({ kind: "reply", status: 200, ends: true });
    client.close();
  }
  await closed;
});

test("a change made during shutdown reaches subscribers of this and other processes", async () => {
  const use = await createTestDatabase();
  const encryptionKey = randomBytes(32);
  onTestFinished(() => use.drop());
  const leaving = await startTestService({ encryptionKey, use });
  const staying = await startTestService({ encryptionKey, use });
  onTestFinished(() => staying.close());
  const { secret } = await (await leaving.createAccount()).createKey();
  const client = await openKeepAliveClient(leaving.url);
  const change = userRequest("PUT", secret, { user_group_id: "acme", name: "New" });
  client.write(userRequest("GET", secret, { user_group_id: "acme", name: "Acme" }));
  await client.next();
  const watch = ({ url }: { readonly url: string }) =>
    openGroupStream(url, `Token ${secret}`, WATCH, { by: { providedId: "acme" } });
  const [leavingStream, stayingStream] = [await watch(leaving), await watch(staying)];
  const holder = new Client(clientOptions(leaving.owner));
  await holder.connect();
  await holder.query("BEGIN; SELECT FROM user_group FOR UPDATE");
  client.write(change);
  const late = await openKeepAliveClient(leaving.url);
  const watchIt = { query: WATCH, variables: { by: { providedId: "acme" } } };
  const subscription = jsonRequest("POST", "/graphql", secret, watchIt, ["Accept: text/event-stream"]);
  late.write(subscription.slice(0, 20));
  const closed = leaving.server.close();
  expect(await leavingStream.next()).toBeUndefined();
  expect(leavingStream.isComplete()).toBe(false);
  late.write(subscription.slice(20));
  expect(await late.next()).toMatchObject({
    status: 503,
    ends: true,
    body: { errors: [{ extensions: { code: "UNAVAILABLE" } }] },
  });
  await holder.query("COMMIT");
  await holder.end();
  expect(await client.next()).toMatchObject({ status: 200, ends: true });
  for (const each of [client, late]) each.close();
  expect(await stayingStream.next()).toMatchObject({
    data: { userGroupChanged: { userGroup: { name: "New" } } },
  });
  stayingStream.close();
  await closed;
  await leaving.close();
});
