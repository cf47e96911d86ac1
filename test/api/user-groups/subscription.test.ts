import { describe, expect, test } from "vitest";
import { createContext } from "../../../src/graphql/shared/context.js";
import { UserGroupWatcher } from "../../../src/graphql/user-groups/watcher.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql();
const WATCH = `subscription ($by: UserGroupBy) {
  userGroupChanged(by: $by) { kind userGroup { name properties mapping { schemaId dataSource { providedId } } } }
}`;

async function watch(by: object | undefined, authorization = `Token ${graphql().keys.admin}`) {
  return openEventStream(graphql().service.url, authorization, WATCH, { by });
}

async function change(mutation: string): Promise<Data> {
  return graphql().run(`mutation { ${mutation} }`);
}

function event(kind: string, userGroup: object | null) {
  return { data: { userGroupChanged: { kind, userGroup } } };
}

describe("userGroupChanged", () => {
  test("sends an API key each change of one group until it is deleted", async () => {
    const { token } = await createUserGroup(graphql(), "watched");
    await createUserGroup(graphql(), "other");
    const stream = await watch({ providedId: "watched" });
    expect(stream).toMatchObject({
      status: 200,
      headers: { "content-type": "text/event-stream; charset=utf-8" },
    });
    await change(
      `updateUserGroup(input: { by: { providedId: "other" }, name: "Not told" }) { userErrors { code } }`,
    );
    await change(
      `updateUserGroup(input: { by: { providedId: "watched" }, name: "New" }) { userErrors { code } }`,
    );
    const group = { name: "New", properties: null, mapping: [] };
    expect(await stream.next()).toEqual(event("UPDATED", group));
    await change(
      `setUserGroupMapping(input: { by: { providedId: "watched" }, schemaId: "a", dataSource: "sales" }) { userErrors { code } }`,
    );
    const mapped = { ...group, mapping: [{ schemaId: "a", dataSource: { providedId: "sales" } }] };
    expect(await stream.next()).toEqual(event("UPDATED", mapped));
    await change(
      `upsertUserGroups(input: { userGroups: [{ providedId: "watched", properties: { a: 1 } }] }) { userErrors { code } }`,
    );
    expect(await stream.next()).toEqual(event("UPDATED", { ...mapped, properties: { a: 1 } }));
    const { rotateUserGroupToken } = await change(
      `rotateUserGroupToken(input: { by: { token: "${token}" } }) { userGroup { token } }`,
    );
    expect(await stream.next()).toEqual(event("TOKEN_ROTATED", { ...mapped, properties: { a: 1 } }));
    await change(
      `deleteUserGroup(input: { by: { token: "${rotateUserGroupToken.userGroup.token}" } }) { deletedUserGroupId }`,
    );
    expect(await stream.next()).toEqual(event("DELETED", null));
    expect(await stream.next()).toBeUndefined();
  });

  test("sends a front end its own group's changes, and ends on rotation", async () => {
    const { token } = await createUserGroup(graphql(), "front", { mapping: [entry("a", "sales")] });
    const stream = await watch(undefined, `Bearer ${token}`);
    await change(
      `updateUserGroup(input: { by: { providedId: "front" }, name: "New" }) { userErrors { code } }`,
    );
    expect(await stream.next()).toMatchObject({
      data: { userGroupChanged: { kind: "UPDATED", userGroup: { name: "New" } } },
    });
    await change(`rotateUserGroupToken(input: { by: { token: "${token}" } }) { userGroup { id } }`);
    expect(await stream.next()).toMatchObject({
      data: { userGroupChanged: null },
      errors: [
        {
          message: "The user group token is unknown or was rotated.",
          extensions: { code: "UNAUTHENTICATED" },
        },
      ],
    });
    expect(await stream.next()).toBeUndefined();
  });

  test("shows a front end no other group and no forbidden field", async () => {
    const { token } = await createUserGroup(graphql(), "curious");
    await createUserGroup(graphql(), "neighbour");
    const other = await watch({ providedId: "neighbour" }, `Bearer ${token}`);
    expect(other).toMatchObject({ status: 403, body: { errors: [{ extensions: { code: "FORBIDDEN" } }] } });
    const closed = await openEventStream(
      graphql().service.url,
      `Bearer ${token}`,
      "subscription { userGroupChanged { userGroup { token } } }",
    );
    expect(closed).toMatchObject({ status: 403, body: { errors: [{ extensions: { code: "FORBIDDEN" } }] } });
  });

  test("ends when its API key is revoked", async () => {
    const { account, service } = graphql();
    const { secret, id } = await account.createKey({ scope: "read" });
    await createUserGroup(graphql(), "revoked");
    const stream = await watch({ providedId: "revoked" }, `Token ${secret}`);
    await service.services.accounts.revokeKey(id);
    expect(await stream.next()).toMatchObject({ errors: [{ extensions: { code: "UNAUTHENTICATED" } }] });
    expect(await stream.next()).toBeUndefined();
  });

  test("ends when its client disconnects, even without any event", async () => {
    const { keys, service } = graphql();
    await createUserGroup(graphql(), "quiet");
    const watcher = new UserGroupWatcher(service.services.userGroupWatches);
    const authorization = `Token ${keys.read}`;
    const address = "127.0.0.1";
    const request = {
      id: "1",
      identity: await service.services.access.identify(authorization, { requestId: "1", address }),
      authorization,
      idempotencyKey: undefined,
      consistency: undefined,
      address,
      recordWrite: () => undefined,
    };
    const context = await createContext(service.services, watcher, request);
    const events = (await watcher.watch({ providedId: "quiet" }, context))[Symbol.asyncIterator]();
    const waiting = events.next();
    expect(await events.return?.()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test.each([
    ["USER_GROUP_NOT_FOUND", { providedId: "nobody" }],
    ["BAD_REQUEST", { id: "x", teamId: 1 }],
    ["BAD_REQUEST", { teamId: "x" }],
  ])("returns %s for %j before the stream begins", async (code, by) => {
    expect(await watch(by)).toMatchObject({ status: 400, body: { errors: [{ extensions: { code } }] } });
  });

  test.each([
    [401, "UNAUTHENTICATED", "Token wrong", WATCH],
    [400, "BAD_REQUEST", undefined, "{ viewer { environment } }"],
    [400, "BAD_REQUEST", undefined, "subscription { nothing }"],
    [400, "BAD_REQUEST", undefined, "subscription {"],
  ])("returns %i %s before the stream begins", async (status, code, authorization, query) => {
    const { service, keys } = graphql();
    const stream = await openEventStream(service.url, authorization ?? `Token ${keys.admin}`, query);
    expect(stream).toMatchObject({ status, body: { errors: [{ extensions: { code } }] } });
  });
});

test("shares one database connection among many idle subscribers, and ends with the service", async () => {
  const { service } = graphql();
  await createUserGroup(graphql(), "popular");
  const streams = await Promise.all(Array.from({ length: 100 }, () => watch({ providedId: "popular" })));
  const [{ count }] = await service.query(
    "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE application_name = 'user-groups-listener' AND datname = current_database()",
  );
  expect(count).toBe(1);
  await change(
    `updateUserGroup(input: { by: { providedId: "popular" }, name: "New" }) { userErrors { code } }`,
  );
  const events = await Promise.all(streams.map((stream) => stream.next()));
  expect(events).toEqual(streams.map(() => event("UPDATED", { name: "New", properties: null, mapping: [] })));
  await service.services.changes.close();
  const last = await Promise.all(streams.map((stream) => stream.next()));
  expect(last).toEqual(
    streams.map(() =>
      expect.objectContaining({
        errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: "UNAVAILABLE" }) })],
      }),
    ),
  );
});

describe("with persisted queries", () => {
  const trusted = useGraphql({ persistedQueries: { watch: WATCH } });

  test("runs a subscription by its ID, and no other one", async () => {
    const { service, keys, account } = trusted();
    const writer = (await account.createKey()).secret;
    const create = { user_group_id: "named", name: "Named" };
    await callRest(`${service.url}/api/user`, "GET", writer, create);
    const authorization = `Token ${keys.admin}`;
    const by = { providedId: "named" };
    const stream = await openEventStream(
      service.url,
      authorization,
      undefined,
      { by },
      { documentId: "watch" },
    );
    expect(stream.status).toBe(200);
    await callRest(`${service.url}/api/user`, "PUT", writer, { ...create, name: "New" });
    expect(await stream.next()).toMatchObject({ data: { userGroupChanged: { userGroup: { name: "New" } } } });
    stream.close();
    const other = await openEventStream(service.url, authorization, `${WATCH} `, { by });
    expect(other).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: "QUERY_NOT_ALLOWED" } }] },
    });
  });
});
