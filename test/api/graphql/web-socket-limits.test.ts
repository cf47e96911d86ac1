import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { CREATE, createUserGroup, UPDATE } from "../../support/graphql/user-group-operations.js";
import {
  connectSocket,
  openSocket,
  subscribe,
  subscribeToGroup,
} from "../../support/graphql/web-socket-client.js";
import { holdTransaction } from "../../support/postgres/held-transaction.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startTestService } from "../../support/service/test-service.js";

// Far more than the process and the buffers of the kernel hold; on a busy machine, 2,000 take longer than a client may be silent.
const PINGS = 800;
const PING_BYTES = 30_000;
/** The most pongs that the process holds. */
const MAX_MESSAGES = 200;
const WATCH = "subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind } }";
const DOCUMENT = "{ viewer { environment } }";
const rateLimited = (limit: number) => ({
  type: "error",
  payload: [{ extensions: { code: "RATE_LIMITED", limit } }],
});

describe("the number of", async () => {
  const graphql = await startGraphql({
    eventStreams: { perToken: 2, perKey: 120, perAddress: 200, perProcess: 200 },
  });
  const { keys, service } = graphql;

  test("WebSockets per token is limited, and of their subscriptions", async () => {
    const { token } = await createUserGroup(graphql, "limited");
    const connect = () => connectSocket(service.url, `Bearer ${token}`);
    const [first, second] = [await connect(), await connect()];
    const third = await openSocket(service.url);
    third.send({ type: "connection_init", payload: { authorization: `Bearer ${token}` } });
    expect(await third.closed()).toEqual({
      code: 1013,
      reason: expect.stringContaining("This user group token has reached the limit of 2 open WebSockets"),
    });
    await subscribeToGroup(first, "1", WATCH);
    await subscribeToGroup(second, "1", WATCH);
    second.send(subscribe("2", WATCH));
    expect(await second.next()).toMatchObject(rateLimited(2));
    first.socket.close();
    await expect.poll(() => service.services.eventStreams.open).toBe(1);
    second.send(subscribe("2", WATCH));
    expect(await second.next()).toMatchObject({ id: "2", type: "next" });
  });

  test("operations per WebSocket is limited", async () => {
    await createUserGroup(graphql, "busy");
    const client = await connectSocket(service.url, `Token ${keys.admin}`);
    for (let id = 0; id < 100; id += 1) {
      await subscribeToGroup(client, String(id), WATCH, { by: { providedId: "busy" } });
    }
    client.send(subscribe("more", DOCUMENT));
    expect(await client.next()).toMatchObject({ id: "more", ...rateLimited(100) });
    client.send({ id: "0", type: "complete" });
    client.send(subscribe("more", DOCUMENT));
    expect(await client.next()).toMatchObject({ id: "more", type: "next" });
  });
});

test("rate limits count operations over a WebSocket", async () => {
  const service = await startTestService({ rateLimits: { maxCost: 3 } });
  onTestFinished(() => service.close());
  const { secret } = await (await service.createAccount()).createKey();
  const client = await connectSocket(service.url, `Token ${secret}`);
  const types: unknown[] = [];
  for (let id = 0; id < 4; id += 1) {
    client.send(subscribe(String(id), DOCUMENT));
    const message = await client.next();
    types.push(Object(message).type);
    if (id < 3) await client.next();
    else expect(message).toMatchObject({ payload: [{ extensions: { code: "RATE_LIMITED" } }] });
  }
  expect(types).toEqual(["next", "next", "next", "error"]);
});

describe("persisted queries", async () => {
  const { keys, service } = await startGraphql({ persistedQueries: { known: DOCUMENT, watch: WATCH } });

  test("are the only documents that run, by text or ID", async () => {
    const client = await connectSocket(service.url, `Token ${keys.admin}`);
    client.send(subscribe("1", "{ __typename }"));
    expect(await client.next()).toMatchObject({ payload: [{ extensions: { code: "QUERY_NOT_ALLOWED" } }] });
    for (const payload of [
      { query: DOCUMENT },
      { query: "", documentId: "known" },
      { query: "", extensions: { persistedQuery: { sha256Hash: "known" } } },
    ]) {
      client.send({ id: "2", type: "subscribe", payload });
      expect(await client.next()).toMatchObject({
        type: "next",
        payload: { data: { viewer: expect.anything() } },
      });
      expect(await client.next()).toEqual({ id: "2", type: "complete" });
    }
  });
});

describe("origins", async () => {
  const { keys, service } = await startGraphql({ corsOrigins: ["https://app.example.com"] });

  test.each([
    ["https://app.example.com", 101],
    ["https://evil.example.com", 403],
    ["null", 403],
  ])("%s is answered with %i", async (origin, status) => {
    const opened = openSocket(service.url, { origin });
    if (status === 101) {
      const client = await opened;
      client.send({ type: "connection_init", payload: { authorization: `Token ${keys.admin}` } });
      expect(await client.next()).toEqual({ type: "connection_ack" });
    } else {
      await expect(opened).rejects.toThrow("Unexpected server response: 403");
    }
  });

  test("the service's own pages may connect", async () => {
    const { url } = service;
    const client = await openSocket(url, { origin: url });
    client.socket.close();
    expect(await client.closed()).toMatchObject({ code: 1005 });
  });
});

describe("a WebSocket", async () => {
  const graphql = await startGraphql({
    requestTimeoutMs: 1000,
    lockTimeoutMs: 5000,
    eventStreams: { perAddress: 2 },
    trustedProxies: ["127.0.0.1"],
  });
  const { account, keys, service } = graphql;
  test("the number of WebSockets per address is limited, whichever credentials they use", async () => {
    const { token } = await createUserGroup(graphql, "addressed");
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
    await createUserGroup(graphql, "locked");
    const lock = "SELECT FROM user_group WHERE account_id = $1 FOR UPDATE";
    await holdTransaction(service, lock, [account.accountId]);
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
});

describe("unread data", async () => {
  // A busy machine may take longer than the default for what is sent to a paused client.
  const graphql = await startGraphql({ connectionLimits: { stallTimeoutMs: 600_000 } });
  const { keys, rest, service } = graphql;
  const properties = { text: "x".repeat(60_000) };
  const aliases = (count: number) =>
    Array.from({ length: count }, (_, index) => `p${index}: properties`).join(" ");

  async function rename(user_group_id: string, name: string): Promise<void> {
    expect(await rest("PUT", { user_group_id, name })).toMatchObject({ status: 200 });
  }

  /** Connects a client, with the service's end of its connection. */
  async function connect(authorization: string) {
    const sockets: Socket[] = [];
    service.server.server.on("connection", (socket: Socket) => sockets.push(socket));
    const client = await connectSocket(service.url, authorization);
    const [socket] = sockets;
    if (!socket) throw new Error("The connection of the client is not there.");
    return { client, socket };
  }

  test("of a subscription is one event; a client that reads later gets the latest state", async () => {
    const { token } = await createUserGroup(graphql, "slow", { properties });
    const { client, socket } = await connect(`Bearer ${token}`);
    const query = `subscription { userGroupChanged { userGroup { name ${aliases(10)} } } }`;
    await subscribeToGroup(client, "1", query);
    client.socket.pause();
    for (let round = 0; round < 60; round += 1) await rename("slow", `n${round}`);
    expect(socket.writableLength).toBeLessThan(2 * 10 * 60_100);
    client.socket.resume();
    const names: string[] = [];
    while (names.at(-1) !== "n59") {
      const { payload } = Object(await client.next());
      names.push(payload.data.userGroupChanged.userGroup.name);
    }
    expect(names.length).toBeLessThan(60);
  });

  test("of pongs is limited: the service reads no further pings before they are read", async () => {
    const { client, socket } = await connect(`Token ${keys.admin}`);
    client.socket.pause();
    const payload = { text: "x".repeat(PING_BYTES) };
    for (let count = 0; count < PINGS; count += 1) {
      client.send({ type: "ping", payload });
      if (count % 20 === 0) await new Promise(setImmediate);
    }
    // The kernel's buffers are full, too.
    await expect.poll(() => socket.isPaused()).toBe(true);
    expect(socket.writableLength).toBeLessThan((MAX_MESSAGES + 10) * (PING_BYTES + 100));
    client.socket.resume();
    for (let count = 0; count < PINGS; count += 1)
      expect(await client.next()).toMatchObject({ type: "pong" });
  });

  test("must have room for a reply, and for an event", async () => {
    await createUserGroup(graphql, "large", { properties });
    const client = await connectSocket(service.url, `Token ${keys.admin}`);
    const by = `by: { providedId: "large" }`;
    client.send(subscribe("1", `{ userGroup(${by}) { ${aliases(20)} } }`));
    expect(await client.next()).toMatchObject({
      type: "error",
      payload: [
        {
          message: expect.stringContaining("more than 1048576 bytes"),
          extensions: { code: "QUERY_TOO_EXPENSIVE" },
        },
      ],
    });
    client.send(subscribe("2", `subscription { userGroupChanged(${by}) { userGroup { ${aliases(20)} } } }`));
    expect(await client.next()).toMatchObject({
      type: "error",
      payload: [{ extensions: { code: "QUERY_TOO_EXPENSIVE", limit: 1_048_576 } }],
    });
  });
});

describe("connections", async () => {
  const { keys, service } = await startGraphql();

  test("other upgrades are served as plain requests", async () => {
    const send = async (head: string, body: string) => {
      const socket = connectTcp(Number(new URL(service.url).port), "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.write(
        `${head}\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nAuthorization: Token ${keys.admin}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      const [chunk] = await once(socket, "data");
      return String(chunk);
    };
    expect(await send("POST /graphql HTTP/1.1", JSON.stringify({ query: DOCUMENT }))).toMatch(
      /^HTTP\/1.1 200 /,
    );
    expect(
      await send("GET /api/user HTTP/1.1", JSON.stringify({ user_group_id: "h2c", name: "h2c" })),
    ).toMatch(/^HTTP\/1.1 200 /);
  });

  test("a WebSocket request elsewhere is a plain request, and a pipelined one is closed", async () => {
    const upgrade = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`;
    const exchange = async (text: string) => {
      const socket = connectTcp(Number(new URL(service.url).port), "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.write(text);
      const [chunk] = await once(socket, "data");
      return { socket, text: String(chunk) };
    };
    expect((await exchange(upgrade("/livez"))).text).toMatch(/^HTTP\/1.1 200 /);
    expect((await exchange(upgrade("/graphql"))).text).toMatch(/^HTTP\/1.1 101 /);
    const withBody = upgrade("/graphql").replace("\r\n\r\n", "\r\nContent-Length: 2\r\n\r\n{}");
    expect((await exchange(withBody)).text).toMatch(/^HTTP\/1.1 400 /);
    const pipelined = connectTcp(Number(new URL(service.url).port), "127.0.0.1");
    pipelined.on("error", () => undefined);
    pipelined.write(`GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n${upgrade("/graphql")}`);
    pipelined.resume();
    await once(pipelined, "close");
  });

  test("at shutdown, subscriptions end and WebSockets are closed", async () => {
    const service = await startTestService();
    const account = await service.createAccount();
    const { secret } = await account.createKey();
    await callRest(`${service.url}/api/user`, "GET", secret, { user_group_id: "last", name: "last" });
    const [idle, busy] = [
      await connectSocket(service.url, `Token ${secret}`),
      await connectSocket(service.url, `Token ${secret}`),
    ];
    await subscribeToGroup(busy, "1", WATCH, { by: { providedId: "last" } });
    await service.server.close();
    expect(await idle.closed()).toEqual({ code: 1001, reason: "The service is shutting down." });
    expect(await busy.next()).toBeUndefined();
    expect(await busy.closed()).toMatchObject({ code: 1001 });
    expect(service.log.join("")).not.toContain("connections were closed at shutdown");
    await expect.poll(() => service.log.filter((line) => line.includes('"closeCode":1001'))).toHaveLength(2);
    await service.close();
  });
});
