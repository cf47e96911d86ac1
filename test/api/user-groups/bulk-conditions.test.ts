import { createHash } from "node:crypto";
import { getNamedType, isInputObjectType, isListType, isScalarType } from "graphql";
import { beforeAll, describe, expect, test } from "vitest";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { CONDITIONS, schema } from "../../support/graphql/list-cases.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { connectSocket, subscribe } from "../../support/graphql/web-socket-client.js";

const graphql = await startGraphql({ subgraph: true, speed: { keyCacheMs: 0 } });
const { call, keys, mutate, service } = graphql;

const filterType = schema.getType("UserGroupFilter");
/** All conditions, from the schema: a new one is tested by itself. */
const MEMBERS = isInputObjectType(filterType) ? Object.values(filterType.getFields()) : [];
type Member = (typeof MEMBERS)[number];
const RESULT = "endCursor results { isChanged userGroup { providedId } } userErrors { code message field }";
const PATCH = "propertiesPatch: { isChanged: true }";

const update = (input: object): Promise<Data> => mutate("updateUserGroups", input, RESULT);

/** Calls the mutation with an input that is written in the document. */
async function updateBy(input: string, variables: object = {}, types = ""): Promise<Data> {
  const query = `mutation ${types && `(${types})`} { updateUserGroups(input: { ${input} ${PATCH} }) { ${RESULT} } }`;
  return (await call(query, { ...variables })).body;
}

const refusal = (field: readonly (string | object)[]) => ({
  results: [],
  endCursor: null,
  userErrors: [{ code: "INVALID_FIELD", message: expect.any(String), field }],
});

async function changedGroups(): Promise<number> {
  const [{ count }] = await service.query(
    "SELECT count(*)::integer AS count FROM user_group WHERE version > 1",
  );
  return count;
}

beforeAll(async () => {
  for (const id of ["one", "two", "three"]) await createUserGroup(graphql, id, { properties: { plan: id } });
});

/** Ways to send a member without a value: the text of the filter, the variables, and their types. */
function withoutValue({ name, type }: Member): readonly (readonly [string, string, object, string])[] {
  const other = name === "hasMapping" ? 'search: "one"' : "hasMapping: false";
  return [
    ["null in the document", `filter: { ${name}: null }`, {}, ""],
    ["a variable that was not sent", `filter: { ${name}: $v }`, {}, `$v: ${type}`],
    ["a variable that is null", `filter: { ${name}: $v }`, { v: null }, `$v: ${type}`],
    ["a variable with the default null", `filter: { ${name}: $v }`, {}, `$v: ${type} = null`],
    ["null in a variable of the filter", "filter: $v", { v: { [name]: null } }, "$v: UserGroupFilter"],
    ["a variable beside another condition", `filter: { ${other} ${name}: $v }`, {}, `$v: ${type}`],
  ];
}

/** Values by which a condition is met by everything, with the path of the error within the condition. */
function emptyValues({ name, type }: Member): readonly (readonly [unknown, readonly string[]])[] {
  if (String(type) === "String") return ["", " ", "\t\u00a0", "\u0301"].map((text) => [text, []] as const);
  if (name === "properties") return [[{}, []]];
  if (!isInputObjectType(type) || type.isOneOf) return [];
  const bounds = Object.keys(type.getFields());
  return [[{}, []], ...bounds.map((bound) => [{ [bound]: null }, [bound]] as const)];
}

test("every condition has a valid value in the table", () => {
  expect(MEMBERS.length).toBeGreaterThan(10);
  const names = Object.keys(CONDITIONS).filter((name) => name.startsWith("UserGroupFilter."));
  expect(names.toSorted()).toEqual(MEMBERS.map(({ name }) => `UserGroupFilter.${name}`).toSorted());
});

describe.each(MEMBERS.map((member) => [member.name, member] as const))("the condition %s", (name, member) => {
  const [value] = CONDITIONS[`UserGroupFilter.${name}`] ?? [];

  test("is refused without a value", async () => {
    for (const [how, filter, variables, types] of withoutValue(member)) {
      const { data, errors } = await updateBy(filter, variables, types);
      expect(errors, how).toBeUndefined();
      expect(data.updateUserGroups, how).toEqual(refusal(["filter", name]));
    }
    expect(await update({ filter: { [name]: null }, propertiesPatch: {} })).toEqual(
      refusal(["filter", name]),
    );
    expect(await changedGroups()).toBe(0);
  });

  test("is refused if everything meets it", async () => {
    for (const [empty, path] of emptyValues(member)) {
      const input = { filter: { [name]: empty }, propertiesPatch: { isChanged: true } };
      expect(await update(input), JSON.stringify(empty)).toEqual(refusal(["filter", name, ...path]));
    }
    if (isListType(member.type)) {
      const nobody = { results: [], endCursor: null, userErrors: [] };
      expect(await update({ filter: { [name]: [] }, propertiesPatch: { isChanged: true } })).toEqual(nobody);
    }
    expect(await changedGroups()).toBe(0);
  });

  test("is accepted with a value, but not together with `all`", async () => {
    const filter = { [name]: value };
    const dry = { propertiesPatch: { isChanged: true }, dryRun: true };
    expect((await update({ filter, ...dry })).userErrors).toEqual([]);
    expect((await update({ filter, all: false, ...dry })).userErrors).toEqual([]);
    expect(await update({ filter, all: true, ...dry })).toEqual(refusal(["all"]));
    for (const [how, text, variables, types] of withoutValue(member)) {
      const { data } = await updateBy(`all: true ${text}`, variables, types);
      const { results, userErrors } = data.updateUserGroups;
      expect({ how, results }).toEqual({ how, results: [] });
      expect(userErrors, how).toContainEqual(refusal(["filter", name]).userErrors[0]);
    }
    expect(await changedGroups()).toBe(0);
  });

  test("of a type that identifies one object is refused without it", async () => {
    const { type } = member;
    if (!isInputObjectType(type) || !type.isOneOf) return;
    for (const key of Object.keys(type.getFields())) {
      for (const filter of [{ [name]: {} }, { [name]: { [key]: null } }]) {
        const reply = await call(
          `mutation ($input: UpdateUserGroupsInput!) { updateUserGroups(input: $input) { ${RESULT} } }`,
          { input: { filter, propertiesPatch: { isChanged: true } } },
        );
        expect(reply.body).toMatchObject({ errors: [{ extensions: { code: "BAD_USER_INPUT" } }] });
      }
      const scalar = getNamedType(type.getFields()[key]?.type);
      expect(isScalarType(scalar)).toBe(true);
      const unsent = await updateBy(`filter: { ${name}: { ${key}: $v } }`, {}, `$v: ${scalar}`);
      expect(unsent.errors).toMatchObject([{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }]);
    }
    expect(await changedGroups()).toBe(0);
  });
});

describe("what to change must be said", () => {
  test.each<[string, string, string, readonly string[]]>([
    ["no filter", "", "", ["userGroups"]],
    ["an empty filter", "filter: {}", "", ["filter"]],
    ["a filter that was not sent", "filter: $v", "$v: UserGroupFilter", ["filter"]],
    ["a filter that is null", "filter: null", "", ["filter"]],
    ["a filter that was not sent, and `all`", "filter: $v all: true", "$v: UserGroupFilter", ["filter"]],
    ["a list that was not sent", "userGroups: $v", "$v: [UserGroupBy!]", ["userGroups"]],
    ["a list that is null", "userGroups: null", "", ["userGroups"]],
    [
      "a list that was not sent, and a filter",
      'userGroups: $v filter: { search: "one" }',
      "$v: [UserGroupBy!]",
      ["userGroups"],
    ],
    ["a list and `all`", "userGroups: [] all: true", "", ["userGroups"]],
    ["`all` that is false", "all: false", "", ["userGroups"]],
    ["`all` that is false, and an empty filter", "all: false filter: {}", "", ["filter"]],
    ["`all` that is null", "all: null", "", ["all"]],
    ["`all` that was not sent", "all: $v", "$v: Boolean", ["all"]],
    ["`dryRun` that was not sent", "all: true dryRun: $v", "$v: Boolean", ["dryRun"]],
    ["`allOrNothing` that was not sent", "all: true allOrNothing: $v", "$v: Boolean", ["allOrNothing"]],
    [
      "a property that was not sent",
      "filter: { properties: { plan: $v } }",
      "$v: JSON",
      ["filter", "properties", "plan"],
    ],
    [
      "an item of a property that was not sent",
      "filter: { properties: { plan: [$v] } }",
      "$v: JSON",
      ["filter", "properties", "plan", "0"],
    ],
    ["a number of groups that was not sent", "all: true expectedCount: $v", "$v: Int", ["expectedCount"]],
    ["a negative number of groups", "all: true expectedCount: -1", "", ["expectedCount"]],
    ["a number of groups of a list", "userGroups: [] expectedCount: 1", "", ["expectedCount"]],
  ])("%s is refused", async (_, input, types, field) => {
    // Repeated, so that the fast path and compiled operations must refuse it as well.
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { data, errors } = await updateBy(input, {}, types);
      expect(errors).toBeUndefined();
      expect(data.updateUserGroups).toEqual(refusal(field));
    }
    expect(await changedGroups()).toBe(0);
  });

  test("a value within the properties of a filter is compared, also if it is a variable", async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { data } = await updateBy(
        "dryRun: true filter: { properties: { plan: $v } }",
        { v: "two" },
        "$v: JSON",
      );
      expect(data.updateUserGroups.results).toMatchObject([{ userGroup: { providedId: "two" } }]);
      const list = await call(
        "query ($v: JSON) { userGroups(filter: { properties: { plan: $v } }) { nodes { providedId } } }",
        { v: "two" },
      );
      expect(list.body).toEqual({ data: { userGroups: { nodes: [{ providedId: "two" }] } } });
    }
  });

  test("queries list everything without conditions", async () => {
    const conditions = MEMBERS.map(({ name }) => `${name}: null`).join(" ");
    for (const filter of ["{}", "null", `{ ${conditions} }`]) {
      const { body } = await call(`{ userGroups(filter: ${filter}) { totalCount } }`);
      expect(body).toEqual({ data: { userGroups: { totalCount: 3 } } });
    }
  });

  const UNSENT = `mutation ($ids: [String!]) {
    updateUserGroups(input: { filter: { providedIds: $ids }, ${PATCH} }) { ${RESULT} }
  }`;
  const REFUSED = { data: { updateUserGroups: refusal(["filter", "providedIds"]) } };

  test.each<[string, () => Promise<unknown>]>([
    [
      "a key for repetitions",
      async () => (await graphql.send({ query: UNSENT }, keys.admin, { "idempotency-key": "unsent" })).body,
    ],
    ["event streams", async () => (await openEventStream(service.url, `Token ${keys.admin}`, UNSENT)).next()],
    [
      "WebSockets",
      async () => {
        const client = await connectSocket(service.url, `Token ${keys.admin}`);
        client.send(subscribe("1", UNSENT));
        return Object(await client.next()).payload;
      },
    ],
    [
      "persisted queries",
      async () => {
        const sha256Hash = createHash("sha256").update(UNSENT).digest("hex");
        const extensions = { persistedQuery: { version: 1, sha256Hash } };
        return (await graphql.send({ query: UNSENT, extensions })).body;
      },
    ],
  ])("%s have the same rule", async (_, send) => {
    expect(await send()).toEqual(REFUSED);
    expect(await changedGroups()).toBe(0);
  });
});

describe("expectedCount", () => {
  const groups = Array.from({ length: 260 }, (_, index) => `counted ${index}`);
  const input = { filter: { search: "counted" }, propertiesPatch: { counted: 1 } };
  beforeAll(async () => {
    const userGroups = groups.map((providedId) => ({ providedId, name: "Counted" }));
    expect((await mutate("upsertUserGroups", { userGroups }, "userErrors { code }")).userErrors).toEqual([]);
  });

  test("refuses the change if more groups match, on all pages together", async () => {
    for (const expectedCount of [0, 249, 250, 259]) {
      for (const dryRun of [true, false])
        expect(await update({ ...input, expectedCount, dryRun })).toEqual(refusal(["expectedCount"]));
    }
    expect(await update({ all: true, propertiesPatch: {}, expectedCount: 262 })).toEqual(
      refusal(["expectedCount"]),
    );
    expect(await changedGroups()).toBe(0);
  });

  test("is the same on each page", async () => {
    const narrow = { ...input, filter: { search: "counted", hasMapping: false }, expectedCount: 260 };
    const first = await update(narrow);
    expect([first.results.length, first.userErrors]).toEqual([250, []]);
    await createUserGroup(graphql, "counted, too");
    const { endCursor: after } = first;
    expect(await update({ ...narrow, after })).toEqual(refusal(["expectedCount"]));
    await mutate("deleteUserGroups", { userGroups: [{ providedId: "counted, too" }] });
    const second = await update({ ...narrow, after });
    expect([second.results.length, second.endCursor, second.userErrors]).toEqual([10, null, []]);
  });
});

test("`all` changes all groups, by itself and with an empty filter", async () => {
  const count = (await service.query("SELECT FROM user_group")).length;
  for (const [index, filter] of [undefined, {}].entries()) {
    let [after, changed]: [string | null, number] = [null, 0];
    do {
      const page: Data = await update({ all: true, filter, after, propertiesPatch: { all: index } });
      changed += page.results.filter(({ isChanged }: Data) => isChanged).length;
      after = page.endCursor;
    } while (after !== null);
    expect(changed).toBe(count);
  }
});

test("a page that is refused has no cursor to go on with", async () => {
  const userGroups = Array.from({ length: 260 }, (_, index) => ({
    providedId: `whole ${index}`,
    name: "Whole",
    properties: { text: index === 7 ? "x".repeat(65_000) : "" },
  }));
  await mutate("upsertUserGroups", { userGroups }, "userErrors { code }");
  const input = { filter: { search: "whole" }, propertiesPatch: { more: "x".repeat(1_000) } };
  const whole = await update(input);
  expect(whole).toMatchObject({
    endCursor: null,
    userErrors: [{ field: ["userGroups", "7", "propertiesPatch"] }],
  });
  expect(whole.results.filter(({ isChanged }: Data) => isChanged)).toEqual([]);
  const each = await update({ ...input, allOrNothing: false });
  expect(each.results.filter(({ isChanged }: Data) => isChanged)).toHaveLength(249);
  expect(each.endCursor).toEqual(expect.any(String));
});
