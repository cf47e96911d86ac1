import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { createContext } from "../../../src/graphql/shared/context.js";
import { UserGroupWatcher } from "../../../src/graphql/user-groups/watcher.js";
import { createSession } from "../../support/embed/sessions.js";
import {
  type EventStream,
  followEvents,
  openGroupStream,
} from "../../support/graphql/event-stream-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { startTestService } from "../../support/service/test-service.js";

const encryptionKey = randomBytes(32);
const graphql = useGraphql({ encryptionKey });
const WATCH = `subscription ($by: UserGroupBy) {
  userGroupChanged(by: $by) { kind userGroup { name properties mapping { schemaId dataSource { providedId } } } }
}`;
const WATCH_ALL = "subscription { userGroupChanged { kind userGroupId userGroup { providedId name } } }";

/** Subscribes to one user group, and takes its current state. */
async function watch(
  by: object | undefined,
  authorization = `Token ${graphql().keys.admin}`,
  url = graphql().service.url,
): Promise<EventStream> {
  const stream = await openGroupStream(url, authorization, WATCH, { by });
  onTestFinished(() => stream.close());
  return stream;
}
const watchAll = (key = graphql().keys.admin) =>
  followEvents(graphql().service.url, `Token ${key}`, WATCH_ALL);

const change = async (name: string, input: object, key?: string) =>
  expect((await graphql().mutate(name, input, "", key)).userErrors).toEqual([]);
const rename = (providedId: string, name: string) => change("updateUserGroup", { by: { providedId }, name });

const event = (kind: string, userGroup: unknown) => ({ data: { userGroupChanged: { kind, userGroup } } });
const named = (name: unknown) => event("UPDATED", { name, properties: null, mapping: [] });
const anyChange = (kind: string, userGroupId: string, userGroup: object | null) => ({
  data: { userGroupChanged: { kind, userGroupId, userGroup } },
});
const failed = (code: string) => ({ errors: [{ extensions: { code } }] });

/** Returns the next event about an existing group: the creations before the subscription may arrive after its start. */
async function nextChange(stream: EventStream): Promise<unknown> {
  for (;;) {
    const next = await stream.next();
    if (Object(next).data?.userGroupChanged?.kind !== "CREATED") return next;
  }
}

/** Expects the end of the connection: `complete` would say that the group was deleted. */
async function expectEnd(stream: EventStream): Promise<void> {
  expect(await nextChange(stream)).toBeUndefined();
  expect(stream.isComplete()).toBe(false);
}

describe("a subscription to one group", () => {
  test.each(["an API key", "a token", "an embed session"])(
    "starts with its current state for %s",
    async (by) => {
      const { keys, service, mutate } = graphql();
      const providedId = `current for ${by}`;
      const { id, token } = await createUserGroup(graphql(), providedId);
      await rename(providedId, "Second");
      const session = await createSession(service, keys.admin, { user_group_id: providedId });
      const credentials = { "an API key": `Token ${keys.read}`, "a token": `Bearer ${token}` };
      const authorization = Object(credentials)[by] ?? `Bearer ${session.token}`;
      const query = `subscription ($by: UserGroupBy) {
      userGroupChanged(by: $by) { kind version userGroupId userGroup { name version } }
    }`;
      const stream = await followEvents(service.url, authorization, query, { by: { id } });
      const state = (kind: string, version: number | null, userGroup: object | null) => ({
        data: { userGroupChanged: { kind, version, userGroupId: id, userGroup } },
      });
      expect(await stream.next()).toEqual(state("CURRENT", 2, { name: "Second", version: 2 }));
      await rename(providedId, "Third");
      const third = state("UPDATED", 3, { name: "Third", version: 3 });
      expect(await stream.next()).toEqual(third);
      await mutate("deleteUserGroup", { by: { token } });
      // The second name may be reported only now: with the current state, the third.
      const last = await stream.next();
      expect(isDeepStrictEqual(last, third) ? await stream.next() : last).toEqual(
        state("DELETED", null, null),
      );
    },
  );

  test("sends an API key each change until the group is deleted", async () => {
    const { mutate } = graphql();
    const by = { providedId: "watched" };
    const { token } = await createUserGroup(graphql(), "watched");
    await createUserGroup(graphql(), "other");
    const stream = await watch(by);
    expect(stream).toMatchObject({
      status: 200,
      headers: { "content-type": "text/event-stream; charset=utf-8" },
    });
    await rename("other", "Not sent");
    await rename("watched", "New");
    const group = { name: "New", properties: null, mapping: [] };
    expect(await stream.next()).toEqual(event("UPDATED", group));
    await change("setUserGroupMapping", { by, ...entry("a", "sales") });
    const mapped = { ...group, mapping: [{ schemaId: "a", dataSource: { providedId: "sales" } }] };
    expect(await stream.next()).toEqual(event("UPDATED", mapped));
    await change("upsertUserGroups", { userGroups: [{ ...by, properties: { a: 1 } }] });
    const full = { ...mapped, properties: { a: 1 } };
    expect(await stream.next()).toEqual(event("UPDATED", full));
    const { userGroup } = await mutate("rotateUserGroupToken", { by: { token } }, "userGroup { token }");
    expect(await stream.next()).toEqual(event("TOKEN_ROTATED", full));
    await change("deleteUserGroup", { by: userGroup });
    expect(await stream.next()).toEqual(event("DELETED", null));
    expect(await stream.next()).toBeUndefined();
    expect(stream.isComplete()).toBe(true);
  });

  test("shows a front end no other group", async () => {
    const { token } = await createUserGroup(graphql(), "curious");
    const other = await watch({ providedId: "watched" }, `Bearer ${token}`);
    expect(other).toMatchObject({ status: 403, body: failed("FORBIDDEN") });
  });

  test("ends when its client disconnects, even without any event", async () => {
    const { keys, service } = graphql();
    await createUserGroup(graphql(), "quiet");
    const watcher = new UserGroupWatcher(service.services.userGroupWatches);
    const authorization = `Token ${keys.read}`;
    const address = "127.0.0.1";
    const context = await createContext(service.services, watcher, {
      id: "1",
      identity: await service.services.access.identify(authorization, { requestId: "1", address }),
      authorization,
      idempotencyKey: undefined,
      address,
      recordWrite: () => undefined,
      recordRefusal: () => undefined,
    });
    const subscription = await watcher.watch({ providedId: "quiet" }, context);
    const taken: unknown[] = [];
    const ended = new Promise((resolve) => {
      subscription.follow({ onEvent: (each) => taken.push(each), onEnd: resolve });
    });
    subscription.request();
    subscription.request();
    subscription.end();
    expect(await ended).toBeUndefined();
    const next = await watch({ providedId: "quiet" });
    await rename("quiet", "Louder");
    expect(await next.next()).toEqual(named("Louder"));
    expect(taken).toHaveLength(1);
  });

  test.each([
    [400, "USER_GROUP_NOT_FOUND", WATCH, { providedId: "nobody" }],
    [400, "BAD_REQUEST", WATCH, { id: "x", teamId: 1 }],
    [400, "BAD_REQUEST", WATCH, { teamId: "x" }],
    [400, "BAD_REQUEST", "subscription { nothing }", undefined],
    [400, "BAD_REQUEST", "subscription {", undefined],
    [401, "UNAUTHENTICATED", WATCH, undefined],
  ])("is answered with %i %s before the stream begins: %s %j", async (status, code, query, by) => {
    const { service, keys } = graphql();
    const authorization = `Token ${status === 401 ? "wrong" : keys.admin}`;
    const stream = await followEvents(service.url, authorization, query, { by });
    expect(stream).toMatchObject({ status, body: failed(code) });
  });

  test("does not miss the state after many concurrent changes", async () => {
    await createUserGroup(graphql(), "busy");
    const stream = await watch({ providedId: "busy" });
    await Promise.all(Array.from({ length: 60 }, (_, index) => rename("busy", `n${index}`)));
    await rename("busy", "last");
    let state: unknown;
    for (let count = 0; count <= 60 && !isDeepStrictEqual(state, named("last")); count += 1) {
      state = await stream.next();
      expect(state).toEqual(named(expect.any(String)));
    }
    expect(state).toEqual(named("last"));
  });
});

describe("a change of a data source", () => {
  test("reaches the subscribers of each group that maps it, and only these", async () => {
    const { service } = graphql();
    await change("createDataSource", { providedId: "renamed", name: "Old" });
    await createUserGroup(graphql(), "maps it", { mapping: [entry("a", "renamed"), entry("b", "renamed")] });
    await createUserGroup(graphql(), "maps it, too", { mapping: [entry("a", "renamed")] });
    await createUserGroup(graphql(), "maps another", { mapping: [entry("a", "sales")] });
    const query = `subscription ($by: UserGroupBy) {
      userGroupChanged(by: $by) { kind version userGroup { name mapping { dataSource { providedId name } } } }
    }`;
    const streams: EventStream[] = [];
    for (const providedId of ["maps it", "maps it, too", "maps another"]) {
      const authorization = `Token ${graphql().keys.read}`;
      streams.push(await openGroupStream(service.url, authorization, query, { by: { providedId } }));
    }
    const [both, one, other] = streams;
    const updated = (name: string, ...mapping: object[]) => ({
      data: {
        userGroupChanged: {
          kind: "UPDATED",
          version: 1,
          userGroup: { name, mapping: mapping.map((dataSource) => ({ dataSource })) },
        },
      },
    });
    for (const changes of [{ name: "New" }, { providedId: "renumbered" }]) {
      const by = { providedId: "renamed" };
      await change("updateDataSource", { by, ...changes });
      const source = { providedId: "renamed", name: "New", ...changes };
      expect(await both?.next()).toEqual(updated("maps it", source, source));
      expect(await one?.next()).toEqual(updated("maps it, too", source));
    }
    await rename("maps another", "Renamed");
    expect(await other?.next()).toMatchObject({
      data: { userGroupChanged: { userGroup: { name: "Renamed" } } },
    });
    for (const stream of streams) stream.close();
  });

  test("ends the streams of its environment in every process if more than 1,000 groups map it", async () => {
    const { keys, service } = graphql();
    const replica = await startTestService({ encryptionKey, use: service });
    onTestFinished(() => replica.close());
    const mapped = Array.from({ length: 1001 }, (_, index) => ({
      providedId: `mapped ${index}`,
      name: "Mapped",
      mapping: [entry("a", "popular")],
    }));
    await change("createDataSource", { providedId: "popular", name: "Old" });
    for (const userGroups of [mapped.slice(1), mapped.slice(0, 1)])
      await change("upsertUserGroups", { userGroups });
    const by = { providedId: "mapped 0" };
    const ending = [await watch(by), await watch(by, `Token ${keys.read}`, replica.url), await watchAll()];
    await createUserGroup(graphql(), "in testing", {}, keys.testing);
    const staying = await watch({ providedId: "in testing" }, `Token ${keys.testing}`);
    await change("updateDataSource", { by: { providedId: "popular" }, name: "New" });
    for (const stream of ending) await expectEnd(stream);
    await change("updateUserGroup", { by: { providedId: "in testing" }, name: "Renamed" }, keys.testing);
    expect(await staying.next()).toEqual(named("Renamed"));
  });
});

test("the streams of an environment end if too many of its changes could not be published", async () => {
  const { account, service } = graphql();
  await createUserGroup(graphql(), "overrun");
  const streams = [await watch({ providedId: "overrun" }), await watchAll()];
  const { accountId } = account;
  for (let id = 1; id <= 100_001; id += 1) {
    service.services.changes.publish({ accountId, environment: "Customer" }, id, "updated");
  }
  expect(service.services.changes.unpublished).toBe(1);
  for (const stream of streams) await expectEnd(stream);
});

describe("a subscription to all groups", () => {
  test("sends an API key the changes of its environment, also after deletions", async () => {
    const { keys, strangerKey } = graphql();
    const first = await createUserGroup(graphql(), "first");
    const second = await createUserGroup(graphql(), "second");
    const stream = await watchAll(keys.read);
    const one = await watch({ providedId: "first" });
    const elsewhere = [
      [strangerKey, await watchAll(strangerKey)] as const,
      [keys.testing, await watchAll(keys.testing)] as const,
    ];
    await rename("first", "1");
    expect(await nextChange(stream)).toEqual(
      anyChange("UPDATED", first.id, { providedId: "first", name: "1" }),
    );
    expect(await one.next()).toEqual(named("1"));
    await rename("second", "2");
    const group = { providedId: "second", name: "2" };
    expect(await nextChange(stream)).toEqual(anyChange("UPDATED", second.id, group));
    await change("deleteUserGroup", { by: { token: first.token } });
    expect(await nextChange(stream)).toEqual(anyChange("DELETED", first.id, null));
    // The stream of one group ends with it.
    expect([await one.next(), await one.next()]).toEqual([event("DELETED", null), undefined]);
    await change("rotateUserGroupToken", { by: { token: second.token } });
    expect(await nextChange(stream)).toEqual(anyChange("TOKEN_ROTATED", second.id, group));
    // The first event of each other stream is that of its own tenant.
    for (const [key, other] of elsewhere) {
      const { id } = await createUserGroup(graphql(), "elsewhere", {}, key);
      const created = { providedId: "elsewhere", name: "elsewhere" };
      expect(await other.next()).toEqual(anyChange("CREATED", id, created));
    }
  });

  test("sends every group of a large upsert", async () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `bulk-${index}`);
    const upsert = (name: string) =>
      change("upsertUserGroups", { userGroups: ids.map((providedId) => ({ providedId, name })) });
    await upsert("Bulk");
    const stream = await watchAll();
    await upsert("New");
    const seen = new Set<unknown>();
    while (seen.size < ids.length) {
      const { userGroup } = Object(await stream.next()).data.userGroupChanged;
      if (userGroup.name === "New") seen.add(userGroup.providedId);
    }
    expect(seen).toEqual(new Set(ids));
  });
});

test("a subscription to all groups ends when its API key is revoked", async () => {
  const { account, service } = graphql();
  const { secret, id } = await account.createKey({ scope: "read" });
  const stream = await watchAll(secret);
  await service.services.accounts.revokeKey(id);
  await expectEnd(stream);
});

test("many idle subscribers share one database connection, and end with the service", async () => {
  const { service } = graphql();
  await createUserGroup(graphql(), "popular");
  const streams = await Promise.all(Array.from({ length: 100 }, () => watch({ providedId: "popular" })));
  const [{ count }] = await service.query(`SELECT count(*)::integer AS count FROM pg_stat_activity
    WHERE application_name = 'user-groups-listener' AND datname = current_database()`);
  expect(count).toBe(1);
  await rename("popular", "New");
  for (const stream of streams) expect(await stream.next()).toEqual(named("New"));
  await service.services.changes.close();
  for (const stream of streams) await expectEnd(stream);
});

describe("with persisted queries", () => {
  const trusted = useGraphql({ persistedQueries: { watch: WATCH } });

  test("a subscription runs by its ID, and no other one", async () => {
    const { service, keys, rest } = trusted();
    const group = { user_group_id: "named", name: "Named" };
    const variables = { by: { providedId: "named" } };
    await rest("GET", group);
    const authorization = `Token ${keys.admin}`;
    const stream = await followEvents(service.url, authorization, undefined, variables, {
      documentId: "watch",
    });
    expect(await stream.next()).toEqual(event("CURRENT", { name: "Named", properties: null, mapping: [] }));
    const other = await followEvents(service.url, authorization, `${WATCH} `, variables);
    expect(other).toMatchObject({ status: 400, body: failed("QUERY_NOT_ALLOWED") });
  });
});
