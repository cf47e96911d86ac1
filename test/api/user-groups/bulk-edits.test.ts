import { afterAll, describe, expect, test } from "vitest";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry, READ } from "../../support/graphql/user-group-operations.js";
import { expectDerivedColumns } from "../../support/postgres/derived-columns.js";

const graphql = await startGraphql({ speed: { keyCacheMs: 0 } });
afterAll(() => expectDerivedColumns(graphql.service));
const { mutate, run, service, strangerKey } = graphql;
const create = (providedId: string, more: object = {}) => createUserGroup(graphql, providedId, more);
const ERRORS = "userErrors { code message field }";

/** Each bulk mutation: its list of inputs with its own value, and the selection of a result. */
const RESULTS = {
  upsertUserGroups: `results { isNew userGroup { providedId name properties version token mapping { schemaId dataSource { providedId } } } ${ERRORS} }`,
  rotateUserGroupTokens: `results { userGroup { id version token } ${ERRORS} }`,
  deleteUserGroups: `results { deletedUserGroupId ${ERRORS} }`,
};
type Name = keyof typeof RESULTS;
const EDITS = [
  ["rotateUserGroupTokens", "userGroup", "USER_GROUP_TOKEN_ROTATED"],
  ["deleteUserGroups", "deletedUserGroupId", "USER_GROUP_DELETED"],
] as const;

const change = async (name: Name, userGroups: readonly object[], more: object = {}): Promise<Data> =>
  mutate(name, { userGroups, ...more }, RESULTS[name]);

const read = async (by: object, key?: string): Promise<Data> => (await run(READ, { by }, key)).userGroup;

const REJECTED = {
  code: "BATCH_REJECTED",
  message: "Nothing was written, because another user group of the request is invalid.",
  field: null,
};
/** An error of the item at `index`, as it is reported for the item and for the whole input. */
const invalid = (index: number, code: string, message: unknown, field: readonly string[] | null = null) => ({
  ofItem: { code, message, field },
  ofInput: { code, message, field: ["userGroups", String(index), ...(field ?? [])] },
});

describe.each(EDITS)("%s", (name, value, action) => {
  test("finds groups by each identifier and answers in the order of the input", async () => {
    const ids = [0, 1, 2, 3].map((index) => `${name} ${index}`);
    const groups = await Promise.all(ids.map((id) => create(id, { mapping: [entry("a", "sales")] })));
    const [one, two, three, four] = groups;
    const { results, userErrors } = await change(name, [
      { id: one?.id },
      { providedId: two?.providedId },
      { teamId: three?.teamId },
      { token: four?.token },
    ]);
    expect(userErrors).toEqual([]);
    for (const [index, { id, token, providedId }] of groups.entries()) {
      const isDeletion = value === "deletedUserGroupId";
      const expected = isDeletion ? id : { id, version: 2, token: expect.stringMatching(/^ugt_/) };
      expect(results[index]).toEqual({ [value]: expected, userErrors: [] });
      const { token: now } = (await read({ providedId })) ?? {};
      expect(now).toBe(isDeletion ? undefined : results[index].userGroup.token);
      expect(now).not.toBe(token);
      const { auditLog } = await run(
        "query ($name: String) { auditLog(filter: { subjectName: $name }) { nodes { action } } }",
        { name: providedId },
      );
      expect(auditLog.nodes).toEqual([{ action }, { action: "USER_GROUP_CREATED" }]);
    }
  });

  test("reports every invalid group, and changes all others or none", async () => {
    const group = await create(`fine ${name}`);
    const foreign = await createUserGroup(graphql, `foreign ${name}`, {}, strangerKey);
    const missing = expect.stringMatching(
      /^No user group of this environment has this ID\. (Create it with .*)?Groups of the other environment are not visible here\.$/,
    );
    const refs = [
      { id: group.id },
      { providedId: group.providedId },
      { providedId: "missing" },
      { token: "nonsense" },
      { id: foreign.id },
      { providedId: "" },
    ];
    const errors = [
      invalid(1, "INVALID_FIELD", "The same user group must not be repeated."),
      invalid(2, "USER_GROUP_NOT_FOUND", missing),
      invalid(3, "USER_GROUP_NOT_FOUND", "No user group has this token."),
      invalid(4, "USER_GROUP_NOT_FOUND", missing),
      invalid(5, "INVALID_FIELD", expect.stringContaining("providedId must "), ["providedId"]),
    ];
    const ofInput = errors.map((error) => error.ofInput);
    const ofItems = errors.map(({ ofItem }) => ({ [value]: null, userErrors: [ofItem] }));
    expect(await change(name, refs)).toEqual({
      results: [{ [value]: null, userErrors: [REJECTED] }, ...ofItems],
      userErrors: ofInput,
    });
    expect(await read({ id: group.id })).toMatchObject({ version: 1, token: group.token });
    const { results, userErrors } = await change(name, refs, { allOrNothing: false });
    expect(userErrors).toEqual(ofInput);
    expect(results).toMatchObject([{ [value]: expect.anything(), userErrors: [] }, ...ofItems]);
    expect(await read({ token: group.token })).toBeNull();
    expect((await read({ id: foreign.id }, strangerKey)).token).toBe(foreign.token);
  });
});

describe("upsertUserGroups", () => {
  const mapping = (entries: object) =>
    Object.entries(entries).map(([schemaId, providedId]) => ({ schemaId, dataSource: { providedId } }));

  test("creates missing groups and updates existing ones, keeping absent fields and clearing null ones", async () => {
    const stored = { properties: { a: 1 }, mapping: [entry("a", "sales")] };
    const before = await create("there", stored);
    const other = await create("untouched", { mapping: [entry("a", "sales")] });
    await create("cleared", stored);
    const created = { name: "New", properties: { z: 1, a: 2 } };
    const { results, userErrors } = await change("upsertUserGroups", [
      { providedId: "new", ...created, mapping: [entry("b", "support"), entry("a", "sales")] },
      { providedId: "there", name: "Renamed" },
      { providedId: "untouched" },
      { providedId: "cleared", properties: null, mapping: null },
      { providedId: "bare", name: "Bare" },
    ]);
    expect(userErrors).toEqual([]);
    const kept = { token: before.token, properties: { a: 1 }, mapping: mapping({ a: "sales" }) };
    expect(results).toMatchObject([
      {
        isNew: true,
        userGroup: { ...created, version: 1, mapping: mapping({ a: "sales", b: "support" }) },
      },
      { isNew: false, userGroup: { name: "Renamed", version: 2, ...kept } },
      { isNew: false, userGroup: { version: 1, token: other.token, mapping: mapping({ a: "sales" }) } },
      { isNew: false, userGroup: { version: 2, properties: null, mapping: [] } },
      { isNew: true, userGroup: { name: "Bare", properties: null, mapping: [] } },
    ]);
    expect(await read({ providedId: "new" })).toMatchObject(results[0].userGroup);
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
    invalid(1, "INVALID_FIELD", "name is required.", ["name"]),
    invalid(2, "INVALID_FIELD", "providedId must not be empty.", ["providedId"]),
    invalid(3, "INVALID_FIELD", "providedId must not be repeated.", ["providedId"]),
    invalid(4, "UNKNOWN_DATA_SOURCE", expect.stringContaining('no data source "nowhere". Create it with'), [
      "mapping",
      "1",
      "dataSource",
    ]),
    invalid(5, "INVALID_FIELD", "properties must be a JSON object or null.", ["properties"]),
  ];
  const nothing = { isNew: null, userGroup: null };

  test.each([
    ["no group", {}, { ...nothing, userErrors: [REJECTED] }, null],
    ["the others", { allOrNothing: false }, { isNew: true, userErrors: [] }, { name: "Fine" }],
  ])("with invalid groups, reports each and writes %s", async (_, options, first, written) => {
    const { results, userErrors } = await change("upsertUserGroups", inputs, options);
    expect(userErrors).toEqual(errors.map(({ ofInput }) => ofInput));
    const ofItems = errors.map(({ ofItem }) => ({ ...nothing, userErrors: [ofItem] }));
    expect(results).toMatchObject([first, ...ofItems]);
    expect([await read({ providedId: "fine" }), await read({ providedId: "unmapped" })]).toMatchObject([
      written,
      null,
    ]);
  });
});

describe("updateUserGroups", () => {
  const RESULT = `endCursor results { isChanged userGroup { providedId version properties mapping { schemaId dataSource { providedId } } } ${ERRORS} }`;
  const update = (input: object): Promise<Data> => mutate("updateUserGroups", input, RESULT);
  const mapped = (schemaId: string, providedId: string) => ({ schemaId, dataSource: { providedId } });

  test("patches properties and mappings, and changes only groups that differ", async () => {
    await create("patched", {
      properties: { plan: "a", kept: 1 },
      mapping: [entry("a", "sales"), entry("b", "sales")],
    });
    await create("equal", { properties: { plan: "b" }, mapping: [entry("c", "support")] });
    const userGroups = ["patched", "equal"].map((providedId) => ({ providedId }));
    const change = {
      propertiesPatch: { plan: "b" },
      setMapping: [entry("c", "support")],
      removeMapping: ["a", "d"],
    };
    const after = [
      { isChanged: true, userGroup: { version: 2, properties: { plan: "b", kept: 1 } } },
      { isChanged: false, userGroup: { version: 1, properties: { plan: "b" } } },
    ];
    const dry = await update({ userGroups, ...change, dryRun: true });
    expect(dry).toMatchObject({ endCursor: null, results: after, userErrors: [] });
    expect(await read({ providedId: "patched" })).toMatchObject({ version: 1, properties: { plan: "a" } });
    const { results } = await update({ userGroups, ...change });
    expect(results).toMatchObject(after);
    expect(results[0].userGroup.mapping).toEqual([mapped("b", "sales"), mapped("c", "support")]);
  });

  test("reports groups that it refuses, and changes all others or none", async () => {
    const schemas = Array.from({ length: 1000 }, (_, index) => entry(`schema ${index}`, "sales"));
    for (const providedId of ["full", "roomy"]) await create(providedId);
    await change("upsertUserGroups", [{ providedId: "full", mapping: schemas }]);
    const userGroups = [{ providedId: "full" }, { providedId: "roomy" }, { providedId: "none" }];
    const input = { userGroups, setMapping: [entry("one more", "sales")] };
    const full = invalid(0, "INVALID_FIELD", "setMapping must have at most 1000 entries.", ["setMapping"]);
    const none = invalid(2, "USER_GROUP_NOT_FOUND", expect.stringContaining("getOrCreateUserGroup"));
    const refused = (providedId: string, error: object) => ({
      userGroup: { providedId },
      isChanged: false,
      userErrors: [error],
    });
    const ofItems = [
      refused("full", full.ofItem),
      refused("roomy", REJECTED),
      { userGroup: null, isChanged: false, userErrors: [none.ofItem] },
    ];
    const userErrors = [full.ofInput, none.ofInput];
    expect(await update(input)).toMatchObject({ results: ofItems, endCursor: null, userErrors });
    const { results } = await update({ ...input, allOrNothing: false });
    expect(results).toMatchObject([ofItems[0], { isChanged: true, userErrors: [] }, ofItems[2]]);
    expect(await update({ ...input, setMapping: [entry("a", "nowhere")] })).toMatchObject({
      results: [],
      userErrors: [{ code: "UNKNOWN_DATA_SOURCE", field: ["setMapping", "0", "dataSource"] }],
    });
  });

  test("changes all groups that match a filter, 250 per call", async () => {
    const ids = Array.from({ length: 300 }, (_, index) => `many ${index}`);
    await change(
      "upsertUserGroups",
      ids.map((providedId) => ({ providedId, name: "Many", properties: { plan: "old" } })),
    );
    const input = {
      filter: { search: "many", properties: { plan: "old" } },
      propertiesPatch: { plan: "new" },
    };
    const first = await update(input);
    const second = await update({ ...input, after: first.endCursor });
    expect([first.results.length, second.results.length, second.endCursor]).toEqual([250, 50, null]);
    const changed = [...first.results, ...second.results].filter(({ isChanged }) => isChanged);
    expect(changed.map(({ userGroup }) => userGroup.providedId)).toEqual(ids);
    expect(await update(input)).toEqual({ results: [], endCursor: null, userErrors: [] });
  });

  test("changes at most 4 MiB of properties per call, stored ones and the patch together", async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `heavy ${index}`);
    await change(
      "upsertUserGroups",
      ids.map((providedId) => ({ providedId, name: "Heavy" })),
    );
    const large = { propertiesPatch: { text: "x".repeat(60_000) } };
    const userGroups = ids.map((providedId) => ({ providedId }));
    expect(await update({ userGroups, ...large })).toMatchObject({
      results: [],
      userErrors: [{ code: "INVALID_FIELD", field: ["propertiesPatch"] }],
    });
    const filter = { providedIdStartsWith: "heavy " };
    for (const patch of [large, { propertiesPatch: { small: 1 } }]) {
      let after: string | null = null;
      const sizes: number[] = [];
      do {
        const page: Data = await update({ filter, after, ...patch });
        expect(page.userErrors).toEqual([]);
        sizes.push(page.results.filter(({ isChanged }: Data) => isChanged).length);
        after = page.endCursor;
      } while (after !== null);
      expect(sizes).toEqual([69, 31]);
    }
  });

  test.each([
    [["userGroups"], { propertiesPatch: {} }],
    [["userGroups"], { userGroups: [], all: true, propertiesPatch: {} }],
    [
      ["userGroups"],
      { userGroups: Array.from({ length: 251 }, () => ({ providedId: "x" })), removeMapping: [] },
    ],
    [["after"], { userGroups: [], after: "x", propertiesPatch: {} }],
    [["after"], { all: true, after: "x", propertiesPatch: {} }],
    [["propertiesPatch"], { all: true }],
    [["propertiesPatch"], { all: true, propertiesPatch: 5 }],
    [["removeMapping"], { all: true, removeMapping: Array.from({ length: 51 }, String) }],
    [["removeMapping", "0"], { all: true, removeMapping: [""] }],
    [
      ["setMapping"],
      { all: true, setMapping: Array.from({ length: 51 }, (_, index) => entry(`${index}`, "sales")) },
    ],
    [["filter", "search"], { filter: { search: "x".repeat(2000) }, propertiesPatch: null }],
  ])("refuses %j", async (field, input) => {
    expect(await update(input)).toMatchObject({
      results: [],
      userErrors: [{ code: "INVALID_FIELD", field }],
    });
  });
});

test.each<Name>(["upsertUserGroups", "rotateUserGroupTokens", "deleteUserGroups"])(
  "%s takes as many statements for a thousand groups as for one, and rejects more",
  async (name) => {
    const refs = Array.from({ length: 1000 }, (_, index) => ({ providedId: `${name} ${index}` }));
    const full = (items: readonly object[], text: string) =>
      items.map((item) => ({ ...item, name: text, mapping: [entry("a", "sales")] }));
    const inputs = (items: readonly object[]) =>
      name === "upsertUserGroups" ? full(items, "Changed") : items;
    const count = async (items: readonly object[]) => {
      expect((await change("upsertUserGroups", full(items, "Bulk"))).userErrors).toEqual([]);
      service.statements.length = 0;
      const { results, userErrors } = await change(name, inputs(items));
      expect([results.length, userErrors]).toEqual([items.length, []]);
      return service.statements.length;
    };
    const one = await count(refs.slice(0, 1));
    expect(await count(refs)).toBe(one);
    expect(await change(name, inputs([...refs, { providedId: "one more" }]))).toEqual({
      results: [],
      userErrors: [
        {
          code: "INVALID_FIELD",
          message: "userGroups must have at most 1000 user groups.",
          field: ["userGroups"],
        },
      ],
    });
    expect(await change(name, [])).toEqual({ results: [], userErrors: [] });
  },
);

test("calls that refer to groups with more than 4 MiB of properties are refused before they load them", async () => {
  const ids = Array.from({ length: 68 }, (_, index) => `wide ${index}`);
  const properties = { text: "x".repeat(62_000) };
  for (const some of [ids.slice(0, 34), ids.slice(34)]) {
    const groups = some.map((providedId) => ({ providedId, name: "Wide", properties }));
    expect((await change("upsertUserGroups", groups)).userErrors).toEqual([]);
  }
  const versions = () => service.query("SELECT version FROM user_group WHERE provided_id LIKE 'wide %'");
  const before = await versions();
  const refs = ids.map((providedId) => ({ providedId }));
  const calls: readonly [string, readonly object[], object?][] = [
    ["upsertUserGroups", refs.map((ref) => ({ ...ref, name: "New" }))],
    ["updateUserGroups", refs, { removeMapping: ["none"] }],
    ["rotateUserGroupTokens", refs],
    ["deleteUserGroups", refs],
  ];
  for (const [name, inputs, more] of calls) {
    expect(
      await mutate(name, { userGroups: inputs, ...more }, "results { userErrors { code } }"),
      name,
    ).toEqual({
      results: [],
      userErrors: [
        {
          code: "INVALID_FIELD",
          message: expect.stringMatching(
            /^userGroups has user groups with 42\d{5} bytes of properties, more than 4194304; send fewer/,
          ),
          field: ["userGroups"],
        },
      ],
    });
    expect(await versions()).toEqual(before);
  }
  const fewer = await change("deleteUserGroups", refs.slice(0, 60));
  expect(fewer.userErrors).toEqual([]);
  expect(await versions()).toHaveLength(8);
});

test("concurrent overlapping upserts all succeed and create each group once", async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `storm ${index}`);
  const calls = Array.from({ length: 12 }, (_, call) => {
    const order = (call % 2 ? ids : ids.toReversed()).slice(call);
    const groups = order.map((providedId) => ({ providedId, name: "Storm", mapping: [entry("a", "sales")] }));
    return change("upsertUserGroups", groups);
  });
  const outcomes = (await Promise.all(calls)).flatMap(({ results }) => results);
  expect(outcomes.filter(({ userGroup }) => userGroup === null)).toEqual([]);
  const created = outcomes.filter(({ isNew }) => isNew).map(({ userGroup }) => userGroup.providedId);
  expect(created.toSorted()).toEqual(ids.toSorted());
});

test("concurrent rotations and deletions of the same groups all get an answer, and each group is deleted once", async () => {
  const groups = await Promise.all(Array.from({ length: 30 }, (_, index) => create(`contested ${index}`)));
  const calls = Array.from({ length: 10 }, (_, call) => {
    const refs = (call % 3 ? groups : groups.toReversed()).map(({ id }) => ({ id }));
    return change(call % 2 ? "deleteUserGroups" : "rotateUserGroupTokens", refs, { allOrNothing: false });
  });
  const results = (await Promise.all(calls)).flatMap((payload) => payload.results);
  const deleted = results.flatMap(({ deletedUserGroupId }: Data) => deletedUserGroupId ?? []);
  expect(deleted.toSorted()).toEqual(groups.map(({ id }) => id).toSorted());
  const codes = results.flatMap(({ userErrors }: Data) => userErrors.map(({ code }: Data) => code));
  expect(new Set(codes)).toEqual(new Set(["USER_GROUP_NOT_FOUND"]));
});
