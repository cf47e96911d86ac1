import { describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import {
  CREATE,
  createUserGroup,
  DELETE,
  entry,
  GET_OR_CREATE,
  READ,
  ROTATE,
  UPDATE,
} from "../../support/graphql/user-group-operations.js";

const graphql = useGraphql();
const create = (providedId: string, more: object = {}) => createUserGroup(graphql(), providedId, more);

describe("createUserGroup", () => {
  test("creates a group and returns all of it", async () => {
    const mapping = [
      { schemaId: "b", dataSource: "support" },
      { schemaId: "a", dataSource: "sales" },
      { schemaId: "B", dataSource: "sales" },
    ];
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
  });

  test("rejects an ID that is taken in this environment", async () => {
    const { run, keys } = graphql();
    await create("taken");
    const input = { providedId: "taken", name: "Again" };
    expect(await run(CREATE, { input })).toEqual({
      createUserGroup: {
        userGroup: null,
        userErrors: [
          {
            code: "USER_GROUP_EXISTS",
            message: "A user group with this ID already exists.",
            field: ["providedId"],
          },
        ],
      },
    });
    expect(await run(CREATE, { input }, keys.testing)).toMatchObject({
      createUserGroup: { userGroup: { environment: "TESTING" } },
    });
  });

  test.each([
    ["providedId must not be empty.", ["providedId"], { providedId: "" }],
    ["name must be at most 255 characters long.", ["name"], { name: "x".repeat(256) }],
    ["properties must be a JSON object or null.", ["properties"], { properties: "text" }],
    [
      "mapping.1.schemaId must not be repeated.",
      ["mapping", "1", "schemaId"],
      { mapping: [entry("a", "sales"), entry("a", "support")] },
    ],
    [
      "mapping.0.dataSource must not be empty.",
      ["mapping", "0", "dataSource"],
      { mapping: [entry("a", "")] },
    ],
  ])("%s", async (message, field, bad) => {
    const { createUserGroup } = await graphql().run(CREATE, {
      input: { providedId: "bad", name: "Bad", ...bad },
    });
    expect(createUserGroup).toEqual({
      userGroup: null,
      userErrors: [{ code: "INVALID_FIELD", message, field }],
    });
  });

  test("names the schema whose data source is unknown", async () => {
    const input = { providedId: "bad", name: "Bad", mapping: [entry("a", "sales"), entry("b", "nowhere")] };
    expect((await graphql().run(CREATE, { input })).createUserGroup).toEqual({
      userGroup: null,
      userErrors: [
        {
          code: "UNKNOWN_DATA_SOURCE",
          message: 'The environment has no data source "nowhere".',
          field: ["mapping", "1", "dataSource"],
        },
      ],
    });
  });
});

describe("getOrCreateUserGroup", () => {
  test("creates once, then returns the group unchanged; only creation needs the name", async () => {
    const { run } = graphql();
    const first = await run(GET_OR_CREATE, { input: { providedId: "goc", name: "Goc" } });
    expect(first.getOrCreateUserGroup).toMatchObject({ isNew: true, userErrors: [] });
    const again = await run(GET_OR_CREATE, { input: { providedId: "goc", properties: 5 } });
    expect(again.getOrCreateUserGroup).toEqual({ ...first.getOrCreateUserGroup, isNew: false });
    expect((await run(GET_OR_CREATE, { input: { providedId: "nameless" } })).getOrCreateUserGroup).toEqual({
      isNew: null,
      userGroup: null,
      userErrors: [{ code: "INVALID_FIELD", message: "name is required.", field: ["name"] }],
    });
  });

  test("lets a read key get a group without its token, but not create one", async () => {
    const { run, call, keys } = graphql();
    await create("readable");
    const got = await run(GET_OR_CREATE, { input: { providedId: "readable" } }, keys.read);
    expect(got.getOrCreateUserGroup).toMatchObject({ isNew: false, userGroup: { token: null } });
    const refused = await call(GET_OR_CREATE, { input: { providedId: "unreadable", name: "U" } }, keys.read);
    expect(refused).toMatchObject({ status: 403, body: { errors: [{ extensions: { code: "FORBIDDEN" } }] } });
  });
});

describe("updateUserGroup", () => {
  test("updates the given fields, keeps absent ones, clears null ones and increments the version", async () => {
    const { run } = graphql();
    const { id } = await create("update", { properties: { a: 1 }, mapping: [entry("a", "sales")] });
    const update = async (changes: object) =>
      (await run(UPDATE, { input: { by: { id }, ...changes } })).updateUserGroup;
    expect((await update({})).userGroup).toMatchObject({ version: 1, properties: { a: 1 } });
    expect((await update({ name: "New" })).userGroup).toMatchObject({
      version: 2,
      name: "New",
      properties: { a: 1 },
    });
    expect((await update({ properties: null })).userGroup).toMatchObject({ version: 3, properties: null });
    expect((await update({ mapping: [entry("b", "support")] })).userGroup).toMatchObject({
      version: 4,
      mapping: [{ schemaId: "b", dataSource: { providedId: "support" } }],
    });
    expect((await update({ mapping: null })).userGroup).toMatchObject({ version: 5, mapping: [] });
    expect((await update({ name: null })).userErrors).toEqual([
      { code: "INVALID_FIELD", message: "name must be a string.", field: ["name"] },
    ]);
  });

  test("does not overwrite changes made since the group was read", async () => {
    const { run } = graphql();
    await create("versioned");
    const by = { providedId: "versioned" };
    const update = async (expectedVersion: number) =>
      (await run(UPDATE, { input: { by, name: "New", expectedVersion } })).updateUserGroup;
    expect((await update(1)).userErrors).toEqual([]);
    expect(await update(1)).toEqual({
      userGroup: null,
      userErrors: [
        {
          code: "VERSION_CONFLICT",
          message: "The user group has version 2, not 1. Read it again and repeat the change.",
          field: ["expectedVersion"],
        },
      ],
    });
  });

  test("lets one of concurrent updates of one version win", async () => {
    const { run } = graphql();
    await create("raced");
    const input = { by: { providedId: "raced" }, properties: { a: 1 }, expectedVersion: 1 };
    const replies = await Promise.all(Array.from({ length: 20 }, () => run(UPDATE, { input })));
    expect(replies.filter(({ updateUserGroup }) => updateUserGroup.userErrors.length === 0)).toHaveLength(1);
  });
});

describe("rotateUserGroupToken and deleteUserGroup", () => {
  test("rotate the token, and the old one is unknown", async () => {
    const { run } = graphql();
    const { token, id } = await create("rotate");
    const rotated = (await run(ROTATE, { input: { by: { token } } })).rotateUserGroupToken.userGroup;
    expect(rotated).toMatchObject({ id, version: 2 });
    expect(rotated.token).not.toBe(token);
    expect((await run(ROTATE, { input: { by: { token } } })).rotateUserGroupToken).toEqual({
      userGroup: null,
      userErrors: [{ code: "USER_GROUP_NOT_FOUND", message: "No user group has this token.", field: null }],
    });
  });

  test.each(["id", "providedId", "teamId", "token"])("find the group by %s", async (name) => {
    const { run } = graphql();
    const group = await create(`by ${name}`);
    const by = { [name]: group[name] };
    const { userGroup, userErrors } = (await run(ROTATE, { input: { by } })).rotateUserGroupToken;
    expect({ userGroup, userErrors }).toMatchObject({
      userGroup: { id: group.id, version: 2 },
      userErrors: [],
    });
    expect(userGroup.token).not.toBe(group.token);
    expect((await run(READ, { by: { token: group.token } })).userGroup).toBeNull();
    const input = { by: { [name]: userGroup[name] } };
    expect((await run(DELETE, { input })).deleteUserGroup.deletedUserGroupId).toBe(group.id);
    for (const mutation of [ROTATE, DELETE]) {
      const [payload] = Object.values(await run(mutation, { input }));
      expect(payload).toMatchObject({ userErrors: [{ code: "USER_GROUP_NOT_FOUND" }] });
    }
  });

  test.each(["id", "providedId", "teamId", "token"])("delete only what matches, by %s", async (name) => {
    const { run } = graphql();
    const group = await create("delete", { mapping: [entry("a", "sales")] });
    const { id } = group;
    const remove = async (more: object) =>
      (await run(DELETE, { input: { by: { [name]: group[name] }, ...more } })).deleteUserGroup;
    expect((await remove({ providedId: "other" })).userErrors).toMatchObject([
      { code: "USER_GROUP_MISMATCH", field: ["providedId"] },
    ]);
    expect((await remove({ dataSourceProvidedId: "support" })).userErrors).toMatchObject([
      { code: "USER_GROUP_MISMATCH", field: ["dataSourceProvidedId"] },
    ]);
    expect(await remove({ providedId: "delete", dataSourceProvidedId: "sales" })).toEqual({
      deletedUserGroupId: id,
      userErrors: [],
    });
    expect((await run(READ, { by: { id } })).userGroup).toBeNull();
  });
});
