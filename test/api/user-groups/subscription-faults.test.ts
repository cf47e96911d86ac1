import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startTestService } from "../../support/service/test-service.js";

const encryptionKey = randomBytes(32);
const graphql = useGraphql({ encryptionKey });
const WATCH = "subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind userGroup { name } } }";

async function rename(url: string, user_group_id: string, name: string): Promise<void> {
  const reply = await callRest(`${url}/api/user`, "PUT", graphql().keys.admin, { user_group_id, name });
  expect(reply.status).toBe(200);
}

function event(name: unknown) {
  return { data: { userGroupChanged: { kind: "UPDATED", userGroup: { name } } } };
}

test("a change made through one replica reaches the subscribers of another", async () => {
  const { service, keys } = graphql();
  await createUserGroup(graphql(), "replicated");
  const replica = await startTestService({ encryptionKey, use: service });
  try {
    const stream = await openEventStream(replica.url, `Token ${keys.admin}`, WATCH, {
      by: { providedId: "replicated" },
    });
    for (const [url, name] of [
      [service.url, "one"],
      [replica.url, "two"],
      [service.url, "three"],
    ] as const) {
      await rename(url, "replicated", name);
      expect(await stream.next()).toEqual(event(name));
    }
    stream.close();
  } finally {
    await replica.close();
  }
});

test("the state after many concurrent changes is not missed", async () => {
  const { service, keys } = graphql();
  await createUserGroup(graphql(), "busy");
  const stream = await openEventStream(service.url, `Token ${keys.admin}`, WATCH, {
    by: { providedId: "busy" },
  });
  const changes = Array.from({ length: 60 }, (_, index) => rename(service.url, "busy", `n${index}`));
  await Promise.all(changes);
  await rename(service.url, "busy", "last");
  let state: unknown;
  for (let count = 0; count <= changes.length && !isDeepStrictEqual(state, event("last")); count += 1) {
    state = await stream.next();
    expect(state).toEqual(event(expect.any(String)));
  }
  expect(state).toEqual(event("last"));
  stream.close();
});

test("subscribers are notified of a lost listening connection and can resubscribe", async () => {
  const { service, keys } = graphql();
  await createUserGroup(graphql(), "cut");
  const watch = () =>
    openEventStream(service.url, `Token ${keys.admin}`, WATCH, { by: { providedId: "cut" } });
  const stream = await watch();
  await rename(service.url, "cut", "before");
  expect(await stream.next()).toEqual(event("before"));
  const cut =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'user-groups-listener' AND datname = current_database()";
  await service.query(cut);
  expect(await stream.next()).toMatchObject({
    errors: [
      {
        message: expect.stringContaining("subscribe again"),
        extensions: { code: "UNAVAILABLE", retryAfter: 1 },
      },
    ],
  });
  expect(await stream.next()).toBeUndefined();

  // Until the listener is back, a new subscription may be closed again.
  await expect
    .poll(async () => {
      const again = await watch();
      await rename(service.url, "cut", "after");
      const next = await again.next();
      again.close();
      return next;
    })
    .toEqual(event("after"));
});

test("a client that does not read is disconnected, and nothing is buffered for it", async () => {
  const { service, keys, run } = graphql();
  const properties = { filler: "x".repeat(60_000) };
  await createUserGroup(graphql(), "slow", { properties });
  const query = `subscription { userGroupChanged(by: { providedId: "slow" }) { userGroup { name properties } } }`;
  const body = JSON.stringify({ query });
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  socket.on("error", () => socket.destroy());
  socket.write(
    [
      "POST /graphql HTTP/1.1",
      "Host: localhost",
      `Authorization: Token ${keys.admin}`,
      "Content-Type: application/json",
      "Accept: text/event-stream",
      `Content-Length: ${body.length}`,
      "",
      body,
    ].join("\r\n"),
  );
  socket.pause();
  await sleep(500);
  const connections = async () =>
    new Promise<number>((resolve, reject) => {
      service.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  const before = await connections();
  for (let round = 0; round < 400 && (await connections()) >= before; round += 1) {
    await run(
      `mutation { updateUserGroup(input: { by: { providedId: "slow" }, name: "n${round}" }) { userErrors { code } } }`,
    );
  }
  await expect.poll(connections).toBeLessThan(before);
  socket.destroy();
});
