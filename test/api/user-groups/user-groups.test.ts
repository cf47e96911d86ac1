import { afterAll, describe, expect, test } from "vitest";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry, READ, USER_GROUP } from "../../support/graphql/user-group-operations.js";
import { expectDerivedColumns } from "../../support/postgres/derived-columns.js";

const graphql = await startGraphql();
afterAll(() => expectDerivedColumns(graphql.service));
const { call, keys, mutate, run, strangerKey } = graphql;
const create = (providedId: string, more: object = {}) => createUserGroup(graphql, providedId, more);
const change = (name: string, input: object, key?: string): Promise<Data> =>
  mutate(name, input, USER_GROUP, key);
const getOrCreate = (input: object, key?: string): Promise<Data> =>
  mutate("getOrCreateUserGroup", input, `isNew ${USER_GROUP}`, key);
const remove = (input: object): Promise<Data> => mutate("deleteUserGroup", input, "deletedUserGroupId");
const read = async (by: object, key?: string): Promise<Data> => (await run(READ, { by }, key)).userGroup;
/** A refused change of a group. */
const refused = (code: string, message: string, field: readonly string[] | null) => ({
  userGroup: null,
  userErrors: [{ code, message, field }],
});
const IDS = ["id", "providedId", "teamId", "token"];

describe("a group", () => {
  test("is created with everything that was sent, and found by each of its IDs only in its environment", async () => {
    const mapping = [entry("b", "support"), entry("a", "sales"), entry("B", "sales")];
    const group = await create("whole", { name: "Whole", properties: { z: 1, a: [true] }, mapping });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(group).toEqual({
      id: expect.any(String),
      teamId: expect.any(Number),
      providedId: "whole",
      name: "Whole",
      environment: "CUSTOMER",
      token: expect.stringMatching(/^ugt_/),
      properties: { z: 1, a: [true] },
      mapping: [
        { schemaId: "B", dataSource: { providedId: "sales" } },
        { schemaId: "a", dataSource: { providedId: "sales" } },
        { schemaId: "b", dataSource: { providedId: "support" } },
      ],
      version: 1,
      createdAt: time,
      updatedAt: group.createdAt,
    });
    for (const name of IDS) {
      const by = { [name]: group[name] };
      expect([await read(by), await read(by, strangerKey), await read(by, keys.testing)]).toEqual([
        group,
        null,
        null,
      ]);
    }
    const unknown = [{ id: "nonsense" }, { id: `${group.id}=` }, { teamId: -1 }, { providedId: "none" }];
    for (const by of [...unknown, { token: "none" }]) expect(await read(by)).toBeNull();
  });

  test("is not created again with an ID that is taken in its environment", async () => {
    const input = { providedId: "taken", name: "Again" };
    await create("taken");
    expect(await change("createUserGroup", input)).toEqual(
      refused("USER_GROUP_EXISTS", "A user group with this ID already exists.", ["providedId"]),
    );
    expect(await change("createUserGroup", input, keys.testing)).toMatchObject({
      userGroup: { environment: "TESTING" },
    });
  });

  test("is created once by getOrCreateUserGroup, then returned unchanged; only creation needs the name", async () => {
    const first = await getOrCreate({ providedId: "goc", name: "Goc" });
    expect(first).toMatchObject({ isNew: true, userErrors: [] });
    expect(await getOrCreate({ providedId: "goc", properties: 5 })).toEqual({ ...first, isNew: false });
    expect(await getOrCreate({ providedId: "nameless" })).toEqual({
      isNew: null,
      ...refused("INVALID_FIELD", "name is required.", ["name"]),
    });
    expect(await getOrCreate({ providedId: "goc" }, keys.read)).toMatchObject({
      isNew: false,
      userGroup: { token: null },
    });
  });
});

test("a reference must have exactly one ID, also when the operation is compiled", async () => {
  const text = "query Compiled($by: UserGroupBy!) { userGroup(by: $by) { id } }";
  for (let times = 0; times < 5; times += 1) await run(text, { by: { providedId: "a" } });
  const message = expect.stringContaining('Variable "$by" got invalid value');
  for (const query of [READ, text]) {
    for (const by of [{}, { id: null }, { providedId: "a", teamId: 1 }, { providedId: "a", teamId: null }]) {
      expect((await call(query, { by })).body).toEqual({
        errors: [expect.objectContaining({ message, extensions: expect.anything() })],
      });
    }
  }
  const literal = 'query ($id: ID) { userGroup(by: { id: $id, providedId: "a" }) { id } }';
  expect((await call(literal, {})).body).toMatchObject({
    errors: [{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }],
  });
});

describe("updateUserGroup", () => {
  test("updates the given fields, keeps absent ones, clears null ones and increments the version", async () => {
    const { id } = await create("update", { properties: { a: 1 }, mapping: [entry("a", "sales")] });
    const mapping = [{ schemaId: "b", dataSource: { providedId: "support" } }];
    const steps: readonly (readonly [changes: object, expected: object])[] = [
      [{}, { version: 1, properties: { a: 1 } }],
      [{ name: "New" }, { version: 2, name: "New", properties: { a: 1 } }],
      [{ properties: null }, { version: 3, name: "New", properties: null }],
      [{ mapping: [entry("b", "support")] }, { version: 4, mapping }],
      [{ mapping: null }, { version: 5, mapping: [] }],
    ];
    for (const [changes, expected] of steps) {
      expect((await change("updateUserGroup", { by: { id }, ...changes })).userGroup).toMatchObject(expected);
    }
    expect(await change("updateUserGroup", { by: { id }, name: null })).toEqual(
      refused("INVALID_FIELD", "name must be a string.", ["name"]),
    );
  });

  test("does not overwrite changes made since the group was read: of concurrent updates of one version, one wins", async () => {
    await create("raced");
    const input = { by: { providedId: "raced" }, properties: { a: 1 }, expectedVersion: 1 };
    const update = () => change("updateUserGroup", input);
    const replies = await Promise.all(Array.from({ length: 20 }, update));
    expect(replies.filter(({ userErrors }) => userErrors.length === 0)).toHaveLength(1);
    const message = "The user group has version 2, not 1. Read it again and repeat the change.";
    expect(await update()).toEqual(refused("VERSION_CONFLICT", message, ["expectedVersion"]));
  });
});

describe.each(IDS)("by %s", (name) => {
  test("a token is rotated, and the group deleted, once", async () => {
    const group = await create(`by ${name}`);
    const { userGroup, userErrors } = await change("rotateUserGroupToken", { by: { [name]: group[name] } });
    expect(userErrors).toEqual([]);
    expect(userGroup).toEqual({
      ...group,
      version: 2,
      token: expect.not.stringMatching(group.token),
      updatedAt: expect.any(String),
    });
    expect(await read({ token: group.token })).toBeNull();
    const by = { [name]: userGroup[name] };
    expect(await remove({ by })).toEqual({ deletedUserGroupId: group.id, userErrors: [] });
    const missing = refused(
      "USER_GROUP_NOT_FOUND",
      name === "token"
        ? "No user group has this token."
        : `No user group of this environment has this ID. ${
            name === "providedId"
              ? "Create it with GET /api/user (REST) or `getOrCreateUserGroup` (GraphQL). "
              : ""
          }Groups of the other environment are not visible here.`,
      null,
    );
    expect(await change("rotateUserGroupToken", { by })).toEqual(missing);
    expect(await remove({ by })).toEqual({ deletedUserGroupId: null, userErrors: missing.userErrors });
  });

  test("only a group that matches the guards is deleted", async () => {
    const group = await create("delete", { mapping: [entry("a", "sales")] });
    const by = { [name]: group[name] };
    for (const [field, value] of [
      ["providedId", "other"],
      ["dataSourceProvidedId", "support"],
    ] as const) {
      const { userErrors } = await remove({ by, [field]: value });
      expect(userErrors).toMatchObject([{ code: "USER_GROUP_MISMATCH", field: [field] }]);
    }
    expect(await remove({ by, providedId: "delete", dataSourceProvidedId: "sales" })).toEqual({
      deletedUserGroupId: group.id,
      userErrors: [],
    });
    expect(await read({ id: group.id })).toBeNull();
  });
});
