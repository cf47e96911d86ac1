import { type GraphQLInputObjectType, getNamedType, isInputObjectType, isNonNullType } from "graphql";
import { describe, expect, test } from "vitest";
import { createSchema } from "../../../src/graphql/server/schema.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { goodSite } from "../../support/site-configs/store.js";
import { createEndpoint } from "../../support/webhooks/operations.js";

const graphql = await startGraphql();
const { mutate } = graphql;

const EMPTY = "must not be empty.";
/** Each field of a group invalid, and the errors; those of its mapping are the last three. */
const group = {
  name: "",
  properties: [],
  mapping: [
    { schemaId: "", dataSource: "" },
    { schemaId: "a", dataSource: "b" },
    { schemaId: "a", dataSource: "b" },
  ],
};
const ofGroup = [
  `name ${EMPTY}`,
  "properties must be a JSON object or null.",
  `mapping.0.schemaId ${EMPTY}`,
  `mapping.0.dataSource ${EMPTY}`,
  "mapping.2.schemaId must not be repeated.",
];
const { mapping } = group;
const by = { providedId: "" };
const BY = `by.providedId ${EMPTY}`;
const ID = `providedId ${EMPTY}`;

test.each<readonly [mutation: string, input: object, messages: readonly string[]]>([
  ["createUserGroup", { providedId: "", ...group }, [ID, ...ofGroup]],
  [
    "createUserGroup",
    { providedId: "x", name: "x".repeat(256) },
    ["name must be at most 255 characters long."],
  ],
  ["getOrCreateUserGroup", { providedId: "", ...group }, [ID, ...ofGroup]],
  ["getOrCreateUserGroup", { providedId: "" }, [ID]],
  [
    "getOrCreateUserGroup",
    { providedId: "all invalid", mapping },
    ["name is required.", ...ofGroup.slice(2)],
  ],
  ["updateUserGroup", { by, ...group }, [BY, ...ofGroup]],
  [
    "setUserGroupMapping",
    { by, schemaId: "", dataSource: "" },
    [BY, `schemaId ${EMPTY}`, `dataSource ${EMPTY}`],
  ],
  ["removeUserGroupMapping", { by, schemaId: "" }, [BY, `schemaId ${EMPTY}`]],
  ["replaceUserGroupMapping", { by, mapping }, [BY, ...ofGroup.slice(2)]],
  [
    "deleteUserGroup",
    { by, providedId: "", dataSourceProvidedId: "" },
    [BY, ID, `dataSourceProvidedId ${EMPTY}`],
  ],
  ["rotateUserGroupToken", { by: { token: "" } }, [`by.token ${EMPTY}`]],
  ["deleteUserGroup", { by: { token: "" } }, [`by.token ${EMPTY}`]],
  ["createDataSource", { providedId: "", name: "" }, [ID, `name ${EMPTY}`]],
  [
    "updateDataSource",
    { by, providedId: null, name: "" },
    [BY, "providedId must be a string.", `name ${EMPTY}`],
  ],
])("%s lists every invalid field of %j", async (mutation, input, messages) => {
  const { userErrors } = await mutate(mutation, input);
  expect(userErrors).toEqual(
    messages.map((message) => ({
      code: "INVALID_FIELD",
      message,
      field: message.slice(0, message.indexOf(" ")).split("."),
    })),
  );
});

test("every unknown data source of a mapping is listed", async () => {
  const sources = ["nowhere", "sales", "elsewhere"].map((dataSource, index) => ({
    schemaId: `s${index}`,
    dataSource,
  }));
  const input = { providedId: "unmapped", name: "U", mapping: sources };
  expect(await mutate("createUserGroup", input, "userGroup { id }")).toEqual({
    userGroup: null,
    userErrors: [0, 2].map((index) => ({
      code: "UNKNOWN_DATA_SOURCE",
      message: `The environment has no data source "${sources[index]?.dataSource}". Create it with the GraphQL mutation \`createDataSource\`, or use the ID of another one.`,
      field: ["mapping", String(index), "dataSource"],
    })),
  });
});

test("an upsert lists at most 100 errors, plus the first of each further group", async () => {
  const many = Array.from({ length: 60 }, () => ({ schemaId: "", dataSource: "sales" }));
  const userGroups = [
    { providedId: "fine", name: "Fine" },
    ...["many a", "many b", "many c"].map((providedId) => ({ providedId, name: "", mapping: many })),
  ];
  const { results, userErrors } = await mutate(
    "upsertUserGroups",
    { userGroups },
    "results { userErrors { field } }",
  );
  expect(results.map((result: { userErrors: unknown[] }) => result.userErrors.length)).toEqual([
    1, 61, 39, 1,
  ]);
  expect(userErrors).toHaveLength(101);
  expect(userErrors.at(-1)).toMatchObject({ field: ["userGroups", "3", "name"] });
});

/** Values of the required input fields of mutations that have a guard. */
const REQUIRED: Readonly<Record<string, unknown>> = {
  source: { text: JSON.stringify(goodSite) },
  patch: { name: "Patched" },
  revision: 1,
  version: 1,
  mode: "OFF",
};

/** Identifies the object of an input, by the type of its `by`. */
const BY_OF: Readonly<Record<string, object>> = {
  UserGroupBy: { providedId: "guarded" },
  SessionTemplateBy: { name: "guarded" },
  DataSourceBy: { providedId: "guarded" },
};

const mutations = Object.values(createSchema().getMutationType()?.getFields() ?? {});
const guards = mutations.flatMap(({ name: mutation, args: [input] }) => {
  const type = input && isNonNullType(input.type) ? input.type.ofType : input?.type;
  // The guard of bulk changes is in bulk-conditions.test.ts.
  const isSingle = mutation !== "updateUserGroups";
  return isInputObjectType(type) && isSingle
    ? guardsOf(type).map((field) => ({ mutation, type, field }))
    : [];
});

/** Optional fields that a deletion depends on, and the expected states of other changes. */
function guardsOf(type: GraphQLInputObjectType): readonly string[] {
  const optional = Object.values(type.getFields()).filter(
    (field) => !isNonNullType(field.type) && field.defaultValue === undefined,
  );
  return optional
    .map(({ name }) => name)
    .filter((name) => name.startsWith("expected") || type.name.startsWith("Delete"));
}

describe("a guard that is null refuses the change", () => {
  test("the schema has at least these guards", () => {
    expect(guards.map(({ mutation, field }) => `${mutation}.${field}`)).toEqual(
      expect.arrayContaining([
        "deleteUserGroup.providedId",
        "deleteUserGroup.dataSourceProvidedId",
        "updateUserGroup.expectedVersion",
        "putSiteConfig.expectedRevision",
        "patchSiteConfig.expectedRevision",
        "restoreSiteConfig.expectedRevision",
        "updateSessionTemplate.expectedVersion",
        "deleteSessionTemplate.expectedVersion",
        "updateDataSource.expectedVersion",
        "deleteDataSource.expectedVersion",
        "updateWebhookEndpoint.expectedVersion",
        "deleteWebhookEndpoint.expectedVersion",
        "deleteSiteConfig.expectedRevision",
      ]),
    );
  });

  test.each(guards)("$mutation.$field", async ({ mutation, type, field }) => {
    await mutate("getOrCreateUserGroup", { providedId: "guarded", name: "G" });
    await mutate("updateUserGroup", { by: BY_OF["UserGroupBy"], name: field });
    await mutate("putSiteConfig", { source: REQUIRED["source"] });
    await mutate("createSessionTemplate", {
      name: "guarded",
      algorithm: "HS256",
      secret: "the secret of a dashboard tool",
      claims: {},
    });
    await mutate("createDataSource", { providedId: "guarded", name: "G" });
    const endpoint = "id" in type.getFields() ? await createEndpoint(graphql, `${mutation}-${field}`) : null;
    const fields = Object.values(type.getFields());
    const required = fields.filter((each) => isNonNullType(each.type) && each.defaultValue === undefined);
    const input = Object.fromEntries(
      required.map(({ name, type: of }) => [
        name,
        REQUIRED[name] ?? BY_OF[getNamedType(of).name] ?? endpoint?.webhookEndpoint.id,
      ]),
    );
    expect((await mutate(mutation, { ...input, [field]: null })).userErrors).toEqual([
      {
        code: "INVALID_FIELD",
        field: [field],
        message: `${field} must not be null; omit it instead.`,
      },
    ]);
    expect(type.getFields()[field]?.description).toMatch(/Must not be null\.$/);
    // Without the guard, the same change is made: only the null was refused.
    expect((await mutate(mutation, input)).userErrors).toEqual([]);
  });
});
