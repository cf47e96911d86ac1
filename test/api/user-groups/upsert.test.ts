import { describe, expect, test } from "vitest";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry, READ } from "../../support/graphql/user-group-operations.js";

const graphql = useGraphql({ speed: { keyCacheMs: 0 } });

const UPSERT = `mutation ($input: UpsertUserGroupsInput!) {
  upsertUserGroups(input: $input) {
    results {
      isNew
      userGroup { providedId name properties version token mapping { schemaId dataSource { providedId } } }
      userErrors { code message field }
    }
    userErrors { code message field }
  }
}`;

async function upsert(userGroups: object[], more: object = {}): Promise<Data> {
  return (await graphql().run(UPSERT, { input: { userGroups, ...more } })).upsertUserGroups;
}

async function read(providedId: string): Promise<Data> {
  return (await graphql().run(READ, { by: { providedId } })).userGroup;
}

describe("upsertUserGroups", () => {
  test("creates missing groups and updates existing ones, keeping absent fields and clearing null ones", async () => {
    const before = await createUserGroup(graphql(), "there", {
      properties: { a: 1 },
      mapping: [entry("a", "sales")],
    });
    const other = await createUserGroup(graphql(), "untouched", { mapping: [entry("a", "sales")] });
    await createUserGroup(graphql(), "cleared", { properties: { a: 1 }, mapping: [entry("a", "sales")] });
    const { results, userErrors } = await upsert([
      {
        providedId: "new",
        name: "New",
        properties: { z: 1, a: 2 },
        mapping: [entry("b", "support"), entry("a", "sales")],
      },
      { providedId: "there", name: "Renamed" },
      { providedId: "untouched" },
      { providedId: "cleared", properties: null, mapping: null },
      { providedId: "bare", name: "Bare" },
    ]);
    expect(userErrors).toEqual([]);
    const mapping = (entries: object) =>
      Object.entries(entries).map(([schemaId, providedId]) => ({ schemaId, dataSource: { providedId } }));
    expect(results).toMatchObject([
      {
        isNew: true,
        userGroup: {
          name: "New",
          version: 1,
          properties: { z: 1, a: 2 },
          mapping: mapping({ a: "sales", b: "support" }),
        },
      },
      {
        isNew: false,
        userGroup: {
          name: "Renamed",
          version: 2,
          token: before.token,
          properties: { a: 1 },
          mapping: mapping({ a: "sales" }),
        },
      },
      {
        isNew: false,
        userGroup: { version: 1, token: other.token, mapping: mapping({ a: "sales" }) },
      },
      { isNew: false, userGroup: { version: 2, properties: null, mapping: [] } },
      { isNew: true, userGroup: { name: "Bare", properties: null, mapping: [] } },
    ]);
    expect(await read("new")).toMatchObject({
      token: results[0].userGroup.token,
      mapping: mapping({ a: "sales", b: "support" }),
    });
  });

  const inputs = [
    { providedId: "fine", name: "Fine" },
    { providedId: "nameless" },
    { providedId: "", name: "Empty" },
    { providedId: "fine", name: "Twice" },
    { providedId: "unmapped", name: "U", mapping: [entry("a", "sales"), entry("b", "nowhere")] },
    { providedId: "deep", name: "D", properties: 5 },
  ];
  const errors = [
    { code: "INVALID_FIELD", message: "name is required.", field: ["name"], index: "1" },
    { code: "INVALID_FIELD", message: "providedId must not be empty.", field: ["providedId"], index: "2" },
    { code: "INVALID_FIELD", message: "providedId must not be repeated.", field: ["providedId"], index: "3" },
    {
      code: "UNKNOWN_DATA_SOURCE",
      message: 'The environment has no data source "nowhere".',
      field: ["mapping", "1", "dataSource"],
      index: "4",
    },
    {
      code: "INVALID_FIELD",
      message: "properties must be a JSON object or null.",
      field: ["properties"],
      index: "5",
    },
  ];
  const inInput = errors.map(({ index, field, ...error }) => ({
    ...error,
    field: ["userGroups", index, ...field],
  }));
  const ofItems = errors.map(({ index: _, ...error }) => ({
    isNew: null,
    userGroup: null,
    userErrors: [error],
  }));

  test("one invalid group prevents all writes, and every error is reported", async () => {
    const { results, userErrors } = await upsert(inputs);
    expect(userErrors).toEqual(inInput);
    const rejected = {
      code: "BATCH_REJECTED",
      message: "Nothing was written, because another user group of the request is invalid.",
      field: null,
    };
    expect(results).toEqual([{ isNew: null, userGroup: null, userErrors: [rejected] }, ...ofItems]);
    expect(await read("fine")).toBeNull();
  });

  test("can skip only the invalid groups", async () => {
    const { results, userErrors } = await upsert(inputs, { allOrNothing: false });
    expect(userErrors).toEqual(inInput);
    expect(results).toMatchObject([{ isNew: true, userGroup: { name: "Fine" } }, ...ofItems]);
    expect(await read("fine")).toMatchObject({ name: "Fine" });
    expect(await read("unmapped")).toBeNull();
  });

  test("takes as many statements for a thousand groups as for one, and rejects more", async () => {
    const { service } = graphql();
    const groups = (count: number, round: number) =>
      Array.from({ length: count }, (_, index) => ({
        providedId: `bulk ${count} ${index}`,
        name: `Bulk ${round}`,
        mapping: [entry("a", "sales")],
      }));
    const count = async (items: object[]) => {
      service.statements.length = 0;
      expect((await upsert(items)).userErrors).toEqual([]);
      return service.statements.length;
    };
    for (const round of [1, 2]) {
      const one = await count(groups(1, round));
      expect(await count(groups(1000, round))).toBe(one);
    }
    expect(await upsert(groups(1001, 1))).toEqual({
      results: [],
      userErrors: [
        {
          code: "INVALID_FIELD",
          message: "userGroups must have at most 1000 user groups.",
          field: ["userGroups"],
        },
      ],
    });
    expect(await upsert([])).toEqual({ results: [], userErrors: [] });
  });

  test("concurrent overlapping calls all succeed and create each group once", async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `storm ${index}`);
    const calls = Array.from({ length: 12 }, (_, call) => {
      const order = call % 2 ? ids : ids.toReversed();
      return upsert(
        order
          .slice(call)
          .map((providedId) => ({ providedId, name: "Storm", mapping: [entry("a", "sales")] })),
      );
    });
    const outcomes = (await Promise.all(calls)).flatMap(({ results }) => results);
    expect(outcomes.filter(({ userGroup }) => userGroup === null)).toEqual([]);
    const created = outcomes.filter(({ isNew }) => isNew).map(({ userGroup }) => userGroup.providedId);
    expect(created.toSorted()).toEqual(ids.toSorted());
  });
});
