import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import {
  connectSocket,
  openSocket,
  subscribe,
  subscribeToGroup,
} from "../../support/graphql/web-socket-client.js";

const WATCH = `subscription ($by: UserGroupBy) {
  userGroupChanged(by: $by) { kind userGroup { name mapping { dataSource { providedId } } } }
}`;

const graphql = await startGraphql();
const { account, keys, rest, service } = graphql;
const connect = (authorization = `Token ${keys.admin}`) => connectSocket(service.url, authorization);
const open = (options?: Parameters<typeof openSocket>[1]) => openSocket(service.url, options);
const error = (id: string, code: string, more: object = {}) => ({
  id,
  type: "error",
  payload: [{ message: expect.any(String), extensions: { code, requestId: expect.any(String), ...more } }],
});

async function rename(user_group_id: string, name: string): Promise<void> {
  expect(await rest("PUT", { user_group_id, name })).toMatchObject({ status: 200 });
}

describe("operations", () => {
  test.each([
    ["a syntax error", "{", "BAD_REQUEST"],
    ["an unknown field", "{ nothing }", "GRAPHQL_VALIDATION_FAILED"],
    ["a document without an operation", "fragment F on UserGroup { id }", "GRAPHQL_VALIDATION_FAILED"],
    ["an invalid subscription", "subscription { nothing }", "BAD_REQUEST"],
    [
      "an unknown user group",
      `subscription { userGroupChanged(by: { providedId: "none" }) { kind } }`,
      "USER_GROUP_NOT_FOUND",
    ],
    [
      "a document too large to stay in memory",
      `subscription { userGroupChanged { kind } }${" ".repeat(17_000)}`,
      "PAYLOAD_TOO_LARGE",
    ],
  ])("%s is an error of the operation", async (_, query, code) => {
    const client = await connect();
    client.send(subscribe("1", query));
    expect(await client.next()).toMatchObject({
      id: "1",
      type: "error",
      payload: [{ extensions: { code } }],
    });
    client.send(subscribe("1", "{ __typename }"));
    expect(await client.next()).toMatchObject({ type: "next", payload: { data: { __typename: "Query" } } });
  });

  test("the limits of operations apply", async () => {
    const client = await connect();
    const aliases = Array.from({ length: 61 }, (_, index) => `a${index}: __typename`).join(" ");
    client.send(subscribe("1", `{ ${aliases} }`));
    expect(await client.next()).toEqual(error("1", "TOO_MANY_ALIASES", { limit: 60, actual: 61 }));
    expect(service.log.join("")).toContain('"code":"too_many_aliases"');
  });
});

describe("subscriptions", () => {
  test("send changes until the client completes them", async () => {
    await createUserGroup(graphql, "watched");
    const client = await connect();
    const { eventStreams } = service.services;
    for (const id of ["a", "b"]) await subscribeToGroup(client, id, WATCH, { by: { providedId: "watched" } });
    expect(eventStreams.open).toBe(2);
    await rename("watched", "first");
    const messages = [await client.next(), await client.next()];
    const payload = {
      data: { userGroupChanged: { kind: "UPDATED", userGroup: { name: "first", mapping: [] } } },
    };
    expect(messages).toEqual(
      expect.arrayContaining([
        { id: "a", type: "next", payload },
        { id: "b", type: "next", payload },
      ]),
    );
    client.send({ id: "a", type: "complete" });
    await expect.poll(() => eventStreams.open).toBe(1);
    await rename("watched", "second");
    expect(await client.next()).toMatchObject({ id: "b", type: "next" });
    client.socket.terminate();
    await expect.poll(() => eventStreams.open).toBe(0);
  });

  test("end when the token is rotated, and the socket is closed", async () => {
    const { token } = await createUserGroup(graphql, "rotated");
    const client = await connect(`Bearer ${token}`);
    await subscribeToGroup(client, "a", WATCH);
    await rest("POST", { current_token: token });
    expect(await client.next()).toBeUndefined();
    expect(await client.closed()).toEqual({
      code: 4403,
      reason: "The user group token is unknown or was rotated.",
    });
    await expect.poll(() => service.services.webSockets.open).toBe(0);
  });
});

describe("credentials", () => {
  const MISSING =
    "`connection_init` must contain `authorization`: `Token <API_KEY>` or `Bearer <embed session or user group token>`.";
  test.each([
    ["missing", undefined, MISSING],
    ["of another type", { authorization: 1 }, MISSING],
  ])("%s credentials close the socket", async (_, payload, reason) => {
    const client = await open();
    client.send({ type: "connection_init", payload });
    expect(await client.closed()).toEqual({ code: 4403, reason });
  });

  test("are read from the handshake if connection_init has none", async () => {
    const client = await open({ headers: { authorization: `Token ${keys.read}` } });
    client.send({ type: "connection_init" });
    expect(await client.next()).toEqual({ type: "connection_ack" });
    client.send(subscribe("1", "{ __typename }"));
    expect(await client.next()).toMatchObject({ type: "next" });
  });

  test("are checked again for each operation", async () => {
    const { secret, id } = await account.createKey();
    const client = await connect(`Token ${secret}`);
    await service.services.accounts.revokeKey(id);
    await expect
      .poll(async () => {
        client.send(subscribe("1", "{ __typename }"));
        const message = await client.next();
        if (Object(message).type === "next") await client.next();
        return message;
      })
      .toBeUndefined();
    expect(await client.closed()).toMatchObject({ code: 4403 });
  });
});

describe("protocol", () => {
  test("pings are answered, also those of WebSocket itself", async () => {
    const client = await open();
    client.send({ type: "ping", payload: { a: 1 } });
    expect(await client.next()).toEqual({ type: "pong", payload: { a: 1 } });
    const pong = new Promise((resolve) => {
      client.socket.once("pong", (data) => resolve(String(data)));
    });
    client.socket.ping("echo");
    expect(await pong).toBe("echo");
  });

  test("a WebSocket without connection_init is closed", async () => {
    const client = await open();
    expect(await client.closed()).toEqual({ code: 4408, reason: "Connection initialisation timeout" });
  });

  test.each([
    ["invalid JSON", "{", 4400],
    ["an unknown message", `{"type":"unknown"}`, 4400],
    ["a message that only servers send", `{"type":"connection_ack"}`, 4400],
    ["deep nesting", `${"[".repeat(2000)}${"]".repeat(2000)}`, 4400],
    ["a second connection_init", `{"type":"connection_init"}`, 4429],
    [
      "a message of more than 32 KiB",
      JSON.stringify({ type: "ping", payload: { a: "x".repeat(32_768) } }),
      1009,
    ],
  ])("%s closes the socket", async (_, message, code) => {
    const client = await connect();
    client.socket.send(message);
    expect(await client.closed()).toMatchObject({ code });
    // Invalid input is not an error of the service.
    expect(service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test("an operation before connection_init, or with the ID of another one, closes the socket", async () => {
    const early = await open();
    early.send(subscribe("1", "{ __typename }"));
    expect(await early.closed()).toMatchObject({ code: 4401 });
    await createUserGroup(graphql, "twice");
    const twice = await connect();
    for (const _ of [1, 2]) twice.send(subscribe("1", WATCH, { by: { providedId: "twice" } }));
    expect(await twice.closed()).toMatchObject({ code: 4409 });
  });

  test.each(["", "graphql-ws"])("the sub-protocol %j is not served", async (protocol) => {
    const rejected = open({ protocol }).then((client) => client.closed());
    if (protocol === "") expect(await rejected).toMatchObject({ code: 4406 });
    else await expect(rejected).rejects.toThrow("Server sent no subprotocol");
  });
});
