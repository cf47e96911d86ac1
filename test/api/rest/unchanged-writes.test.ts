import { beforeAll, describe, expect, test } from "vitest";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { schema } from "../../support/graphql/list-cases.js";
import { OTHER_MUTATIONS } from "../../support/graphql/user-group-operations.js";

const { keys, mutate, rest, run, service } = await startGraphql({ webhooks: { allowPrivate: true } });

const GROUP = {
  name: "Same",
  properties: { plan: "gold", limits: { seats: 1, ratio: 2.5 }, none: null },
  mapping: { a: "sales", b: "support" },
};
/** The same JSON value in another spelling. */
const RESPELLED = `{"none": null, "limits": {"ratio": 25e-1, "seats": 1.0}, "plan": "g\\u006fld"}`;
const PATCH = { plan: "gold", limits: { seats: 1 } };
const LIST = [
  { schemaId: "b", dataSource: "support" },
  { schemaId: "a", dataSource: "sales" },
];

async function create(id: string, group: object = GROUP): Promise<void> {
  expect((await rest("GET", { user_group_id: id, ...group })).status).toBe(200);
}

async function stateOf(id: string) {
  const { userGroup } = await run(
    `query ($id: String) { userGroup(by: { providedId: $id }) { teamId version updatedAt history { totalCount } } }`,
    { id },
  );
  return userGroup;
}

/** The audit entries about a subject, oldest first, without its creation. */
async function changesOf(subjectName: string): Promise<{ readonly changed: readonly string[] }[]> {
  const entries = await service.query(
    `SELECT action, changed FROM audit_entry WHERE subject_name = $1 AND action NOT LIKE '%.created' ORDER BY id`,
    [subjectName],
  );
  return entries;
}

async function change(name: string, input: object) {
  const selection = name.endsWith("Groups") ? "results { userGroup { version } }" : "userGroup { version }";
  return mutate(name, input, selection);
}

const WRITES: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
  "GET of an existing group": (id) => rest("GET", { user_group_id: id, name: "Another" }),
  getOrCreateUserGroup: (id) => change("getOrCreateUserGroup", { providedId: id, name: "Another" }),
  "PUT of everything": (id) => rest("PUT", { user_group_id: id, ...GROUP }),
  "PUT of the name": (id) => rest("PUT", { user_group_id: id, name: GROUP.name }),
  "PUT of the properties": (id) => rest("PUT", { user_group_id: id, properties: GROUP.properties }),
  "PUT of the properties with other spelling": (id) =>
    rest("PUT", `{"user_group_id":"${id}","properties":${RESPELLED}}`),
  "PUT of the mapping": (id) => rest("PUT", { user_group_id: id, mapping: GROUP.mapping }),
  "many PUTs at once": (id) =>
    Promise.all(Array.from({ length: 20 }, () => rest("PUT", { user_group_id: id, name: GROUP.name }))),
  updateUserGroup: (id) =>
    change("updateUserGroup", { by: { providedId: id }, ...GROUP, mapping: LIST, expectedVersion: 1 }),
  replaceUserGroupMapping: (id) =>
    change("replaceUserGroupMapping", { by: { providedId: id }, mapping: LIST }),
  setUserGroupMapping: (id) => change("setUserGroupMapping", { by: { providedId: id }, ...LIST[0] }),
  removeUserGroupMapping: (id) =>
    change("removeUserGroupMapping", { by: { providedId: id }, schemaId: "absent" }),
  upsertUserGroups: (id) =>
    change("upsertUserGroups", { userGroups: [{ providedId: id, ...GROUP, mapping: LIST }] }),
  "updateUserGroups of the properties": (id) =>
    change("updateUserGroups", {
      userGroups: [{ providedId: id }],
      propertiesPatch: { ...PATCH, absent: null },
    }),
  "updateUserGroups that sets the mapping": (id) =>
    change("updateUserGroups", { userGroups: [{ providedId: id }], setMapping: LIST }),
  "updateUserGroups that removes an absent schema": (id) =>
    change("updateUserGroups", { userGroups: [{ providedId: id }], removeMapping: ["absent"] }),
  "updateUserGroups by filter": (id) =>
    change("updateUserGroups", { filter: { providedIds: [id] }, propertiesPatch: PATCH, setMapping: LIST }),
};

/** Mutations that always change a user group, or fail. */
const ALWAYS_CHANGE = [
  "createUserGroup",
  "deleteUserGroup",
  "deleteUserGroups",
  // Only a former version can be restored.
  "restoreUserGroup",
  "rotateUserGroupToken",
  "rotateUserGroupTokens",
  "undoBulkChange",
];

beforeAll(async () => {
  await run(`mutation {
    createWebhookEndpoint(input: { name: "updates", url: "https://127.0.0.1/", events: [USER_GROUP_UPDATED] }) {
      webhookEndpoint { id }
    }
  }`);
});

test("every mutation of user groups has a row, or always changes one", () => {
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
  const names = Object.keys(WRITES).map((name) => name.split(" ")[0] ?? "");
  const listed = new Set(names.filter((name) => !/^(?:GET|PUT|many)$/.test(name)));
  expect([...listed, ...ALWAYS_CHANGE, ...OTHER_MUTATIONS].toSorted()).toEqual(mutations.toSorted());
});

describe("a write that changes nothing is not recorded as a change", () => {
  test.each(Object.keys(WRITES))("%s", async (name) => {
    const id = `same ${name}`;
    await create(id);
    const before = await stateOf(id);
    const stream = await openGroupStream(
      service.url,
      `Token ${keys.admin}`,
      `subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind userGroup { name version } } }`,
      { by: { providedId: id } },
    );
    const outcome = await WRITES[name]?.(id);
    const replies = [outcome].flat();
    for (const reply of replies) {
      const text = JSON.stringify(reply);
      expect(text).toMatch(/"status":200|"version":1/);
      expect(text).not.toMatch(/"userErrors":\[\{|"success":0/);
    }
    expect(await stateOf(id)).toEqual(before);
    expect(await changesOf(id)).toEqual([]);
    const deliveries = `SELECT count(*)::integer AS count FROM webhook_delivery WHERE subject = $1`;
    expect(await service.query(deliveries, [`user_group:${before.teamId}`])).toEqual([{ count: 0 }]);

    // The first event that subscribers and endpoints receive is a real change.
    await rest("PUT", { user_group_id: id, ...GROUP, name: "Other" });
    expect(await stream.next()).toEqual({
      data: { userGroupChanged: { kind: "UPDATED", userGroup: { name: "Other", version: 2 } } },
    });
    stream.close();
    expect(await changesOf(id)).toEqual([{ action: "user_group.updated", changed: ["name"] }]);
    expect(await service.query(deliveries, [`user_group:${before.teamId}`])).toEqual([{ count: 1 }]);
  });

  test("equal properties keep their stored text, also next to a change", async () => {
    await create("kept");
    await rest("PUT", `{"user_group_id":"kept","name":"Renamed","properties":${RESPELLED}}`);
    await rest("PUT", { user_group_id: "kept", mapping: { b: "support", a: "support" } });
    const query = "SELECT properties::text AS text FROM user_group WHERE provided_id = 'kept'";
    expect(await service.query(query)).toEqual([{ text: JSON.stringify(GROUP.properties) }]);
    expect((await changesOf("kept")).map(({ changed }) => changed)).toEqual([["name"], ["mapping"]]);
  });

  test.each([
    ["another value", { properties: { ...GROUP.properties, plan: "silver" } }, ["properties"]],
    ["no properties", { properties: null }, ["properties"]],
    ["one entry fewer", { mapping: { a: "sales" } }, ["mapping"]],
    ["one entry more", { mapping: { ...GROUP.mapping, c: "sales" } }, ["mapping"]],
    ["no mapping", { mapping: null, name: GROUP.name }, ["mapping"]],
  ])("%s is a change of this field only", async (what, change, changed) => {
    const id = `changed: ${what}`;
    await create(id);
    expect((await rest("PUT", { user_group_id: id, ...GROUP, ...change })).status).toBe(200);
    expect(await stateOf(id)).toMatchObject({ version: 2 });
    expect(await changesOf(id)).toEqual([{ action: "user_group.updated", changed }]);
  });

  test("of concurrent writes of the same value exactly one is a change, and all replies have the value", async () => {
    await create("race");
    const put = { user_group_id: "race", name: "Winner" };
    const writes = [
      () => change("upsertUserGroups", { userGroups: [{ providedId: "race", name: "Winner" }] }),
      () => rest("PUT", put),
      () => rest("PUT", { ...put, mapping: GROUP.mapping }),
    ];
    const replies = await Promise.all(Array.from({ length: 30 }, (_, index) => writes[index % 3]?.()));
    for (const reply of replies) expect(JSON.stringify(reply)).toMatch(/"name":"Winner"|"version":2/);
    expect(await stateOf("race")).toMatchObject({ version: 2 });
    expect(await changesOf("race")).toEqual([{ action: "user_group.updated", changed: ["name"] }]);
  });

  test("of many groups only those that differ change", async () => {
    const ids = ["many 1", "many 2", "many 3"];
    for (const id of ids) await create(id);
    const userGroups = ids.map((providedId) => ({ providedId, ...GROUP, mapping: LIST }));
    const { results } = await change("upsertUserGroups", {
      userGroups: [
        userGroups[0],
        { ...userGroups[1], mapping: LIST.slice(1) },
        userGroups[2],
        { providedId: "many 4", name: "N" },
      ],
    });
    expect(results.map(({ userGroup }: { userGroup: { version: number } }) => userGroup.version)).toEqual([
      1, 2, 1, 1,
    ]);
    expect(await changesOf("many 2")).toEqual([{ action: "user_group.updated", changed: ["mapping"] }]);
  });

  test("updateDataSource and updateWebhookEndpoint", async () => {
    const { createDataSource, createWebhookEndpoint } = await run(`mutation {
      createDataSource(input: { providedId: "unchanged source", name: "Source" }) { dataSource { id } }
      createWebhookEndpoint(input: { name: "unchanged endpoint", url: "https://127.0.0.1/" }) { webhookEndpoint { id } }
    }`);
    const again = await run(
      `mutation ($source: ID!, $endpoint: ID!) {
        updateDataSource(input: { by: { id: $source }, providedId: "unchanged source", name: "Source" }) {
          dataSource { name } userErrors { code }
        }
        updateWebhookEndpoint(input: {
          id: $endpoint, name: "unchanged endpoint", url: "https://127.0.0.1/", events: [], enabled: true
        }) { webhookEndpoint { name } userErrors { code } }
      }`,
      { source: createDataSource.dataSource.id, endpoint: createWebhookEndpoint.webhookEndpoint.id },
    );
    expect(again).toEqual({
      updateDataSource: { dataSource: { name: "Source" }, userErrors: [] },
      updateWebhookEndpoint: { webhookEndpoint: { name: "unchanged endpoint" }, userErrors: [] },
    });
    expect(await changesOf("unchanged source")).toEqual([]);
    expect(await changesOf("unchanged endpoint")).toEqual([]);
  });
});
