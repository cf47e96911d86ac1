import { describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { connectSocket, subscribe, watchStarts } from "../../support/graphql/web-socket-client.js";
import { callRest } from "../../support/rest/rest-client.js";

const WATCH = `subscription ($by: UserGroupBy) {
  userGroupChanged(by: $by) { kind userGroup { name mapping { dataSource { providedId } } } }
}`;

const graphql = useGraphql();
const connect = (authorization = `Token ${graphql().keys.admin}`) =>
  connectSocket(graphql().service.url, authorization);
const error = (id: string, code: string, more: object = {}) => ({
  id,
  type: "error",
  payload: [{ message: expect.any(String), extensions: { code, requestId: expect.any(String), ...more } }],
});

async function rename(providedId: string, name: string): Promise<void> {
  const { service, keys } = graphql();
  const body = { user_group_id: providedId, name };
  expect(await callRest(`${service.url}/api/user`, "PUT", keys.admin, body)).toMatchObject({ status: 200 });
}

async function tokenCall(method: "POST" | "DELETE", current_token: string): Promise<void> {
  const { service, keys } = graphql();
  const reply = await callRest(`${service.url}/api/user`, method, keys.admin, { current_token });
  expect(reply).toMatchObject({ status: 200 });
}

describe("operations", () => {
  test("queries run by the same pipeline as over HTTP", async () => {
    await createUserGroup(graphql(), "queried");
    const client = await connect();
    const query = `{ userGroup(by: { providedId: "queried" }) { name } }`;
    client.send(subscribe("1", query));
    expect(await client.next()).toEqual({
      id: "1",
      type: "next",
      payload: { data: { userGroup: { name: "queried" } } },
    });
    expect(await client.next()).toEqual({ id: "1", type: "complete" });
  });

  test("mutations run, with their user errors in the payload", async () => {
    const client = await connect();
    const mutation = `mutation ($id: String!) {
      createUserGroup(input: { providedId: $id, name: "written" }) { userGroup { name } userErrors { code } }
    }`;
    client.send(subscribe("1", mutation, { id: "written" }));
    expect(await client.next()).toMatchObject({
      payload: { data: { createUserGroup: { userGroup: { name: "written" }, userErrors: [] } } },
    });
    expect(await graphql().run(`{ userGroup(by: { providedId: "written" }) { name } }`)).toEqual({
      userGroup: { name: "written" },
    });
  });

  test("a key with scope read cannot write", async () => {
    const client = await connect(`Token ${graphql().keys.read}`);
    const mutation = `mutation { createUserGroup(input: { providedId: "x", name: "x" }) { userErrors { code } } }`;
    client.send(subscribe("1", mutation));
    expect(await client.next()).toMatchObject({
      type: "next",
      payload: { errors: [{ extensions: { code: "FORBIDDEN" } }] },
    });
  });

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
    expect(graphql().service.log.join("")).toContain('"code":"too_many_aliases"');
  });

  test("a document too large to stay in memory is rejected for a subscription", async () => {
    const client = await connect();
    client.send(subscribe("1", `${WATCH}${" ".repeat(17_000)}`, { by: { providedId: "any" } }));
    expect(await client.next()).toEqual(error("1", "PAYLOAD_TOO_LARGE", { limit: 16_384 }));
  });
});

describe("subscriptions", () => {
  test("send changes until the client completes them", async () => {
    await createUserGroup(graphql(), "watched");
    const started = watchStarts(graphql().service);
    const client = await connect();
    const { eventStreams } = graphql().service.services;
    for (const id of ["a", "b"]) client.send(subscribe(id, WATCH, { by: { providedId: "watched" } }));
    await started(2);
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

  test("end with the deletion of the user group", async () => {
    const { token } = await createUserGroup(graphql(), "deleted");
    const started = watchStarts(graphql().service);
    const client = await connect();
    client.send(subscribe("a", WATCH, { by: { providedId: "deleted" } }));
    await started(1);
    await tokenCall("DELETE", token);
    expect(await client.next()).toMatchObject({
      payload: { data: { userGroupChanged: { kind: "DELETED" } } },
    });
    expect(await client.next()).toEqual({ id: "a", type: "complete" });
  });

  test("end when the token is rotated, and the socket is closed", async () => {
    const { token } = await createUserGroup(graphql(), "rotated");
    const started = watchStarts(graphql().service);
    const client = await connect(`Bearer ${token}`);
    client.send(subscribe("a", WATCH));
    await started(1);
    await tokenCall("POST", token);
    expect(await client.next()).toMatchObject({
      type: "next",
      payload: { errors: [{ extensions: { code: "UNAUTHENTICATED" } }] },
    });
    expect(await client.next()).toEqual({ id: "a", type: "complete" });
    expect(await client.closed()).toEqual({
      code: 4403,
      reason: "The credentials of this WebSocket are no longer valid.",
    });
    await expect.poll(() => graphql().service.services.webSockets.open).toBe(0);
  });

  test("end when the API key is revoked", async () => {
    const { account, service } = graphql();
    await createUserGroup(graphql(), "revoked");
    const { secret, id } = await account.createKey();
    const started = watchStarts(service);
    const client = await connect(`Token ${secret}`);
    client.send(subscribe("a", WATCH, { by: { providedId: "revoked" } }));
    await started(1);
    await service.services.accounts.revokeKey(id);
    expect(await client.next()).toMatchObject({
      payload: { errors: [{ extensions: { code: "UNAUTHENTICATED" } }] },
    });
    expect(await client.next()).toMatchObject({ type: "complete" });
    expect(await client.closed()).toMatchObject({ code: 4403 });
  });
});
