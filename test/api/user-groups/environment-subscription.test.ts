import { describe, expect, onTestFinished, test } from "vitest";
import { type EventStream, openEventStream } from "../../support/graphql/event-stream-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { openSlowReader } from "../../support/graphql/slow-reader.js";
import {
  CREATE,
  createUserGroup,
  GET_OR_CREATE,
  UPDATE,
  UPSERT,
} from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { metricValue } from "../../support/service/metric-samples.js";

const graphql = useGraphql();
const slow = useGraphql();
const WATCH = "subscription { userGroupChanged { kind userGroupId userGroup { providedId name } } }";

async function watch(key = graphql().keys.admin) {
  const stream = await openEventStream(graphql().service.url, `Token ${key}`, WATCH);
  onTestFinished(() => stream.close());
  return stream;
}

/** Returns the next event about an existing group: the creations before the subscription may arrive after its start. */
async function nextChange(stream: EventStream): Promise<unknown> {
  for (;;) {
    const event = await stream.next();
    if (Object(event).data?.userGroupChanged?.kind !== "CREATED") return event;
  }
}

async function rename(providedId: string, name: string, key?: string) {
  const { updateUserGroup } = await graphql().run(UPDATE, { input: { by: { providedId }, name } }, key);
  expect(updateUserGroup.userErrors ?? []).toEqual([]);
}

async function remove({ token }: { readonly token: string }) {
  await graphql().run(
    "mutation ($input: DeleteUserGroupInput!) { deleteUserGroup(input: $input) { userErrors { code } } }",
    {
      input: { by: { token } },
    },
  );
}

const change = (kind: string, userGroupId: string, userGroup: object | null) => ({
  data: { userGroupChanged: { kind, userGroupId, userGroup } },
});

describe("userGroupChanged without `by`", () => {
  test("sends an API key the changes of all groups of its environment, also after deletions", async () => {
    const { account } = graphql();
    const first = await createUserGroup(graphql(), "first");
    const second = await createUserGroup(graphql(), "second");
    const reader = (await account.createKey({ scope: "read" })).secret;
    const [stream, other] = [await watch(reader), await watch(graphql().strangerKey)];
    const testing = await watch(graphql().keys.testing);
    await rename("first", "1");
    expect(await nextChange(stream)).toEqual(change("UPDATED", first.id, { providedId: "first", name: "1" }));
    await rename("second", "2");
    expect(await nextChange(stream)).toEqual(
      change("UPDATED", second.id, { providedId: "second", name: "2" }),
    );
    await remove(first);
    expect(await nextChange(stream)).toEqual(change("DELETED", first.id, null));
    await graphql().run(
      "mutation ($input: RotateUserGroupTokenInput!) { rotateUserGroupToken(input: $input) { userErrors { code } } }",
      { input: { by: { token: second.token } } },
    );
    expect(await nextChange(stream)).toEqual(
      change("TOKEN_ROTATED", second.id, { providedId: "second", name: "2" }),
    );
    // The first event of each other stream is that of its own tenant.
    for (const [key, elsewhere] of [
      [graphql().strangerKey, other],
      [graphql().keys.testing, testing],
    ] as const) {
      await graphql().run(
        'mutation { createUserGroup(input: { providedId: "elsewhere", name: "E" }) { userErrors { code } } }',
        {},
        key,
      );
      expect(await elsewhere.next()).toMatchObject({
        data: { userGroupChanged: { kind: "CREATED", userGroup: { providedId: "elsewhere", name: "E" } } },
      });
    }
  });

  test("sends creations, by whichever way", async () => {
    const { service, strangerKey: key } = graphql();
    const stream = await watch(key);
    const options = (providedId: string) => ({ input: { providedId, name: "New" } });
    const ways: Record<string, (providedId: string) => Promise<unknown>> = {
      createUserGroup: (providedId) => graphql().run(CREATE, options(providedId), key),
      getOrCreateUserGroup: (providedId) => graphql().run(GET_OR_CREATE, options(providedId), key),
      upsertUserGroups: (providedId) =>
        graphql().run(UPSERT, { input: { userGroups: [options(providedId).input] } }, key),
      rest: (providedId) =>
        callRest(`${service.url}/api/user`, "GET", key, { user_group_id: providedId, name: "New" }),
    };
    for (const [providedId, create] of Object.entries(ways)) {
      await create(providedId);
      expect(await stream.next()).toMatchObject({
        data: { userGroupChanged: { kind: "CREATED", userGroup: { providedId, name: "New" } } },
      });
    }
  });

  test("shares events with subscribers to one group, whose stream ends with it", async () => {
    const group = await createUserGroup(graphql(), "both");
    const all = await watch();
    const one = await openEventStream(
      graphql().service.url,
      `Token ${graphql().keys.admin}`,
      'subscription { userGroupChanged(by: { providedId: "both" }) { kind } }',
    );
    await remove(group);
    expect(await nextChange(all)).toEqual(change("DELETED", group.id, null));
    expect(await one.next()).toEqual({ data: { userGroupChanged: { kind: "DELETED" } } });
    expect(await one.next()).toBeUndefined();
  });

  test("sends every group of a large upsert", async () => {
    const { run } = graphql();
    const upsert = `mutation ($input: UpsertUserGroupsInput!) { upsertUserGroups(input: $input) { userErrors { code } } }`;
    const userGroups = Array.from({ length: 1000 }, (_, index) => ({
      providedId: `bulk-${index}`,
      name: "Bulk",
    }));
    await run(upsert, { input: { userGroups } });
    const stream = await watch();
    await run(upsert, { input: { userGroups: userGroups.map((group) => ({ ...group, name: "New" })) } });
    const seen = new Set<unknown>();
    while (seen.size < userGroups.length) {
      const { userGroup } = Object(await stream.next()).data.userGroupChanged;
      if (userGroup.name === "New") seen.add(userGroup.providedId);
    }
    expect(seen).toEqual(new Set(userGroups.map(({ providedId }) => providedId)));
  });

  test("ends when the API key is revoked", async () => {
    const { account, service } = graphql();
    const { secret, id } = await account.createKey({ scope: "read" });
    const stream = await watch(secret);
    await service.services.accounts.revokeKey(id);
    expect(await nextChange(stream)).toMatchObject({ errors: [{ extensions: { code: "UNAUTHENTICATED" } }] });
    expect(await nextChange(stream)).toBeUndefined();
  });

  test("sends a front end its own group only", async () => {
    const group = await createUserGroup(graphql(), "front");
    await createUserGroup(graphql(), "beside");
    const stream = await openEventStream(
      graphql().service.url,
      `Bearer ${group.token}`,
      "subscription { userGroupChanged { kind userGroupId userGroup { name } } }",
    );
    await rename("beside", "Not sent");
    await rename("front", "Sent");
    expect(await nextChange(stream)).toEqual(change("UPDATED", group.id, { name: "Sent" }));
    stream.close();
  });
});

test("a reader of all groups that is too slow gets an error, once too many groups have changed", async () => {
  const { service, keys, run } = slow();
  const ids = Array.from({ length: 140 }, (_, index) => `group ${index}`);
  for (const id of ids) await createUserGroup(slow(), id, { properties: { text: "x".repeat(60_000) } });
  const aliases = Array.from({ length: 10 }, (_, index) => `p${index}: properties`).join(" ");
  const reader = await openSlowReader(
    service.url,
    `Token ${keys.admin}`,
    `subscription { userGroupChanged { userGroup { name ${aliases} } } }`,
  );
  onTestFinished(() => reader.close());
  const other = await openEventStream(service.url, `Token ${keys.admin}`, WATCH);
  onTestFinished(() => other.close());
  await expect.poll(() => service.services.eventStreams.open).toBe(2);
  for (const providedId of ids) await run(UPDATE, { input: { by: { providedId }, name: "new" } });
  // The other reader gets them all.
  let last: unknown;
  while (Object(last).data?.userGroupChanged.userGroup.providedId !== ids.at(-1))
    last = await nextChange(other);
  expect(await reader.readToEnd()).toContain('"code":"SLOW_CONSUMER"');
  const { streamCutOffs } = service.services.telemetry.metrics;
  expect(await metricValue(streamCutOffs, { reason: "slow_consumer" })).toBe(1);
});
