import { isDeepStrictEqual } from "node:util";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";

const graphql = await startGraphql();
const { account, keys, mutate, rest, run, service } = graphql;
const off = await startGraphql({ keepsHistory: false, retention: { groupHistoryDays: 0 } });

const VALUES = "name properties mapping { schemaId dataSource { providedId } }";
const FIRST = { name: "A", properties: { a: 1 }, mapping: [entry("sales", "sales")] };
const SHOWN = { ...FIRST, mapping: [{ schemaId: "sales", dataSource: { providedId: "sales" } }] };

let id = "";
const by = () => ({ providedId: id });

beforeAll(async () => {
  await mutate("createDataSource", { providedId: "hr", name: "HR" });
});
beforeEach(async () => {
  id = `group ${crypto.randomUUID()}`;
  await createUserGroup(graphql, id, FIRST);
});

/** The former values of the group, newest first. */
async function history(selection = `version ${VALUES}`) {
  const query = `query ($id: String!) { userGroup(by: { providedId: $id }) { history { nodes { ${selection} } } } }`;
  return (await run(query, { id })).userGroup.history.nodes;
}
const current = async () => {
  const query = `query ($id: String!) { userGroup(by: { providedId: $id }) { version ${VALUES} } }`;
  return (await run(query, { id })).userGroup;
};

async function change(name: string, input: object): Promise<void> {
  expect((await mutate(name, input, "__typename")).userErrors).toEqual([]);
}
const put = async (fields: object, headers = {}) => {
  expect((await rest("PUT", { user_group_id: id, ...fields }, keys.write, headers)).status).toBe(200);
};
const rotate = async () => {
  const { token } = Object(Object((await rest("GET", { user_group_id: id })).body).user_group);
  expect((await rest("POST", { current_token: token })).status).toBe(200);
};

test("each version has its own values, whatever changed since, with author, time and the stored text", async () => {
  await rest(
    "PUT",
    `{"user_group_id":${JSON.stringify(id)},"properties":{"z":1.50,"a":12345678901234567890}}`,
  );
  await put({ name: "B" });
  await rotate();
  await change("replaceUserGroupMapping", { by: by(), mapping: [entry("x", "hr"), entry("a", "hr")] });
  await put({ name: "C" });
  await put({ mapping: {} });
  const values = (version: number, name: string, ...schemas: readonly string[]) => ({
    version,
    name,
    mapping: schemas.map((schemaId) => ({ schemaId })),
  });
  expect(await history("version name mapping { schemaId }")).toEqual([
    values(6, "C", "a", "x"),
    values(5, "B", "a", "x"),
    values(4, "B", "sales"),
    values(2, "A", "sales"),
    values(1, "A", "sales"),
  ]);
  const [newest, , former] = await history("replacedBy replacedAt");
  expect([newest.replacedBy, former.replacedBy]).toEqual(["test", "test"]);
  expect(Date.now() - Date.parse(newest.replacedAt)).toBeLessThan(60_000);
  const texts = "SELECT properties::text AS text FROM user_group_history WHERE name = 'C' AND version = 6";
  expect(await service.query(texts)).toEqual([{ text: '{"z":1.50,"a":12345678901234567890}' }]);
});

test("pages of several groups have one statement, and cursors continue", async () => {
  for (const name of ["B", "C", "D"]) await put({ name });
  const ids = `nodes { version } pageInfo { hasNextPage endCursor }`;
  const query = `query ($ids: [String!], $after: String) {
    userGroups(filter: { providedIds: $ids }) { nodes { history(first: 2, after: $after) { totalCount ${ids} } } } }`;
  const other = id;
  id = `${id} 2`;
  await createUserGroup(graphql, id, FIRST);
  await put({ name: "B" });
  service.statements.length = 0;
  const { userGroups } = await run(query, { ids: [other, id] });
  expect(service.statements.filter((text) => text.includes("FROM user_group_history"))).toHaveLength(2);
  expect(userGroups.nodes).toMatchObject([
    { history: { totalCount: 3, nodes: [{ version: 3 }, { version: 2 }], pageInfo: { hasNextPage: true } } },
    { history: { totalCount: 1, nodes: [{ version: 1 }], pageInfo: { hasNextPage: false } } },
  ]);
  const after = userGroups.nodes[0].history.pageInfo.endCursor;
  const next = await run(query, { ids: [other], after });
  expect(next.userGroups.nodes[0].history).toMatchObject({
    nodes: [{ version: 1 }],
    pageInfo: { hasNextPage: false },
  });
});

describe("restoreUserGroup", () => {
  const restore = (input: object, selection = `userGroup { version ${VALUES} }`) =>
    mutate("restoreUserGroup", { by: by(), ...input }, selection, keys.write);

  test("gives a group its former values as a new version, which can be undone in turn", async () => {
    await change("updateUserGroup", { by: by(), name: "B", properties: null, mapping: [entry("x", "hr")] });
    const { token } = (
      await run("query ($id: String!) { userGroup(by: { providedId: $id }) { token } }", { id })
    ).userGroup;
    const second = await current();
    expect((await restore({ version: 1, expectedVersion: 2 })).userGroup).toEqual({ version: 3, ...SHOWN });
    expect(await history("version name")).toEqual([
      { version: 2, name: "B" },
      { version: 1, name: "A" },
    ]);
    expect((await restore({ version: 2 })).userGroup).toEqual({ ...second, version: 4 });
    const audit =
      "SELECT action, changed, version FROM audit_entry WHERE subject_name = $1 ORDER BY id DESC LIMIT 2";
    const restored = { action: "user_group.updated", changed: ["name", "properties", "mapping"] };
    expect(await service.query(audit, [id])).toEqual([
      { ...restored, version: 4 },
      { ...restored, version: 3 },
    ]);
    expect(
      (await run("query ($id: String!) { userGroup(by: { providedId: $id }) { token } }", { id })).userGroup,
    ).toEqual({ token });
  });

  const UNKNOWN = {
    code: "INVALID_FIELD",
    field: ["version"],
    message: "version is not complete in the history: a change since then was not recorded, or is too old.",
  };

  test("takes every version number that existed, with the values that the group had then", async () => {
    // Rotations and changes in turn; the values of each version as a caller read them.
    const steps = [
      () => put({ name: "B" }),
      rotate,
      rotate,
      () => put({ properties: { b: 2 } }),
      () => put({ mapping: { x: "hr", y: "sales" } }),
      rotate,
      () => put({ name: "C", mapping: null }),
      rotate,
      rotate,
    ];
    const seen = [await current()];
    for (const step of steps) {
      await step();
      seen.push(await current());
    }
    expect(seen.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    let { version: last } = seen.at(-1);
    // The versions since the last change have the current values.
    for (const { version } of [...seen.slice(-3), ...seen.slice(-3).toReversed()]) {
      expect((await restore({ version })).userGroup.version).toBe(last);
    }
    for (const { version, ...values } of [...seen, ...seen.toReversed(), seen[2], seen[7]]) {
      const before = await current();
      const { userGroup, userErrors } = await restore({ version });
      expect(userErrors).toEqual([]);
      const isEqual = isDeepStrictEqual(before, { ...before, ...values });
      last = isEqual ? last : last + 1;
      expect(userGroup, `version ${version}`).toEqual({ ...values, version: last });
    }
  });

  test("changes nothing if the values are equal", async () => {
    await put({ name: "B" });
    await put({ name: "A" });
    expect((await restore({ version: 1 })).userGroup.version).toBe(3);
    expect(await history("version")).toHaveLength(2);
  });

  test.each<readonly [problem: string, prepare: () => Promise<unknown>, input: object, error: object]>([
    ...[3, 0, -1, 2 ** 31 - 1].map(
      (version) =>
        [
          `version ${version}, which did not exist`,
          async () => undefined,
          { version },
          {
            code: "INVALID_FIELD",
            field: ["version"],
            message: "version must be from 1 to 2, the current version.",
          },
        ] as const,
    ),
    [
      "a version whose row was purged",
      async () => {
        await rotate();
        await put({ name: "C" });
        await service.query("DELETE FROM user_group_history WHERE version = 1");
      },
      { version: 1 },
      UNKNOWN,
    ],
    [
      "a version after which every row was purged",
      async () => {
        await rotate();
        await service.query("DELETE FROM user_group_history WHERE version = 1");
      },
      { version: 1 },
      UNKNOWN,
    ],
    [
      "a version after which a change was not recorded, as by a former version of the service",
      async () => {
        await service.query(
          "UPDATE user_group SET name = 'C', version = version + 1 WHERE provided_id = $1",
          [id],
        );
        await rotate();
        await put({ name: "D" });
      },
      { version: 2 },
      UNKNOWN,
    ],
    [
      "the same, if it is the last change",
      () =>
        service.query("UPDATE user_group SET name = 'C', version = version + 1 WHERE provided_id = $1", [id]),
      { version: 2 },
      UNKNOWN,
    ],
    [
      "a version whose rotations are not in the audit log any more",
      async () => {
        await rotate();
        await put({ name: "C" });
        await service.query(
          "DELETE FROM audit_entry WHERE action = 'user_group.token_rotated' AND subject_name = $1",
          [id],
        );
      },
      { version: 2 },
      UNKNOWN,
    ],
    [
      "another group",
      async () => undefined,
      { by: { providedId: "none" }, version: 1 },
      { code: "USER_GROUP_NOT_FOUND" },
    ],
    [
      "another expected version",
      async () => undefined,
      { version: 1, expectedVersion: 1 },
      { code: "VERSION_CONFLICT" },
    ],
    [
      "no expected version",
      async () => undefined,
      { version: 1, expectedVersion: null },
      { code: "INVALID_FIELD", field: ["expectedVersion"] },
    ],
    [
      "a deleted data source",
      async () => {
        await mutate("createDataSource", { providedId: id, name: "Old" });
        await change("setUserGroupMapping", { by: by(), ...entry("old", id) });
        await change("removeUserGroupMapping", { by: by(), schemaId: "old" });
        await change("deleteDataSource", { by: { providedId: id } });
        const mapping = [{ schemaId: "sales" }];
        expect(await history("version mapping { schemaId }")).toMatchObject([
          { version: 3, mapping },
          {},
          {},
        ]);
      },
      { version: 3 },
      {
        code: "UNKNOWN_DATA_SOURCE",
        field: ["version"],
        message: expect.stringContaining('the schema "old" in version 3'),
      },
    ],
    [
      "a mapping that changed without a record, as by a former version of the service",
      async () => {
        await service.query("UPDATE user_group SET mapping_version = 7 WHERE provided_id = $1", [id]);
        expect(await history("mapping { schemaId }")).toEqual([{ mapping: null }]);
      },
      { version: 1 },
      UNKNOWN,
    ],
  ])("refuses %s", async (_, prepare, input, error) => {
    await put({ name: "B" });
    await prepare();
    const before = await current();
    expect((await restore(input, "userGroup { id }")).userErrors).toMatchObject([error]);
    expect(await current()).toEqual(before);
  });
});

test("a deletion removes the history, and another group of the same ID has none", async () => {
  await put({ name: "B" });
  const rows = "SELECT version FROM user_group_history WHERE account_id = $1 AND name = 'A'";
  const [group] = await service.query("SELECT id FROM user_group WHERE provided_id = $1", [id]);
  await change("deleteUserGroup", { by: by() });
  expect(await service.query(`${rows} AND user_group_id = $2`, [account.accountId, group.id])).toEqual([]);
  await createUserGroup(graphql, id, FIRST);
  expect(await history()).toEqual([]);
});

test("concurrent changes keep each version once", async () => {
  const names = ["B", "C", "D", "E"];
  await Promise.all([
    ...names.map((name) => put({ name })),
    ...names.map((schema) => change("setUserGroupMapping", { by: by(), ...entry(schema, "hr") })),
  ]);
  const versions = await history("version mapping { schemaId }");
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  const sizes = versions.map(({ mapping }: { mapping: readonly unknown[] }) => mapping.length);
  expect(sizes).toEqual(sizes.toSorted((one: number, other: number) => other - one));
});

test("nothing is kept if the history is off", async () => {
  await createUserGroup(off, "acme", FIRST);
  await off.rest("PUT", { user_group_id: "acme", name: "B", mapping: null });
  expect(
    await off.run(
      `{ viewer { userGroupHistoryDays } userGroup(by: { providedId: "acme" }) { history { totalCount } } }`,
    ),
  ).toEqual({
    viewer: { userGroupHistoryDays: 0 },
    userGroup: { history: { totalCount: 0 } },
  });
  expect(await run("{ viewer { userGroupHistoryDays } }")).toEqual({ viewer: { userGroupHistoryDays: 90 } });
});
