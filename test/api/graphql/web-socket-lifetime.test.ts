import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { CREATE, createUserGroup, UPDATE } from "../../support/graphql/user-group-operations.js";
import { connectSocket, openSocket, subscribe } from "../../support/graphql/web-socket-client.js";

const graphql = useGraphql({
  requestTimeoutMs: 1000,
  lockTimeoutMs: 5000,
  eventStreams: { perAddress: 2 },
  trustedProxies: ["127.0.0.1"],
});
const DOCUMENT = "{ viewer { environment } }";

test("the number of WebSockets per address is limited, whichever credentials they use", async () => {
  const { service, keys } = graphql();
  const { token } = await createUserGroup(graphql(), "addressed");
  const headers = { "x-forwarded-for": "192.0.2.1" };
  const clients = [
    await connectSocket(service.url, `Token ${keys.admin}`, { headers }),
    await connectSocket(service.url, `Bearer ${token}`, { headers }),
  ];
  const third = await openSocket(service.url, { headers });
  third.send({ type: "connection_init", payload: { authorization: `Token ${keys.read}` } });
  expect(await third.closed()).toEqual({
    code: 1013,
    reason: expect.stringContaining("This client address has reached the limit of 2 open WebSockets"),
  });
  const elsewhere = await connectSocket(service.url, `Token ${keys.admin}`, {
    headers: { "x-forwarded-for": "192.0.2.2" },
  });
  for (const client of [...clients, elsewhere]) {
    client.send(subscribe("1", DOCUMENT));
    expect(await client.next()).toMatchObject({ id: "1", type: "next" });
  }
});

test("an operation that reaches the deadline is answered, and the WebSocket stays open", async () => {
  const { service, keys, account } = graphql();
  await createUserGroup(graphql(), "locked");
  const holder = new Client(clientOptions(service.owner));
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query("BEGIN");
  await holder.query("SELECT FROM user_group WHERE account_id = $1 FOR UPDATE", [account.accountId]);
  const client = await connectSocket(service.url, `Token ${keys.admin}`);
  client.send(subscribe("slow", UPDATE, { input: { by: { providedId: "locked" }, name: "Late" } }));
  expect(await client.next()).toMatchObject({
    id: "slow",
    type: "next",
    payload: { data: null, errors: [{ extensions: { code: "UNAVAILABLE" } }] },
  });
  expect(await client.next()).toEqual({ id: "slow", type: "complete" });
  client.send(subscribe("next", CREATE, { input: { providedId: "after", name: "After" } }));
  expect(await client.next()).toMatchObject({ id: "next", type: "next" });
});

test("a client that does not answer pings is disconnected", async () => {
  const { service, keys } = graphql();
  // The service runs in this process, so that its pings are sent by the test.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const options = { headers: { "x-forwarded-for": "192.0.2.3" } };
  const answering = await connectSocket(service.url, `Token ${keys.admin}`, options);
  const silent = await connectSocket(service.url, `Token ${keys.admin}`, { ...options, autoPong: false });
  const pings = { answering: 0, silent: 0 };
  answering.socket.on("ping", () => {
    pings.answering += 1;
  });
  silent.socket.on("ping", () => {
    pings.silent += 1;
  });
  for (let round = 1; round <= 2; round += 1) {
    await vi.advanceTimersByTimeAsync(12_000);
    await expect.poll(() => pings).toEqual({ answering: round, silent: 1 });
  }
  expect((await silent.closed()).code).toBe(1006);
  answering.send(subscribe("1", DOCUMENT));
  expect(await answering.next()).toMatchObject({ id: "1", type: "next" });
});
