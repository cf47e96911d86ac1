import { type GraphQLInputObjectType, isInputObjectType, isNonNullType } from "graphql";
import { describe, expect, test } from "vitest";
import { createSchema } from "../../../src/graphql/server/schema.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { goodSite } from "../../support/site-configs/store.js";

const graphql = useGraphql();

test("userErrors lists every invalid field of a mutation", async () => {
  const { run } = graphql();
  const fieldsOf = async (mutation: string, input: object) => {
    const field = `${mutation.charAt(0).toLowerCase()}${mutation.slice(1)}`;
    const query = `mutation ($input: ${mutation}Input!) { ${field}(input: $input) { userErrors { code field message } } }`;
    const { userErrors } = (await run(query, { input }))[field];
    return userErrors.map(({ code, field }: { code: string; field: string[] }) => [code, field.join(".")]);
  };
  const invalid = (...fields: readonly string[]) => fields.map((field) => ["INVALID_FIELD", field]);
  const group = {
    name: "",
    properties: [],
    mapping: [
      { schemaId: "", dataSource: "" },
      { schemaId: "a", dataSource: "b" },
      { schemaId: "a", dataSource: "b" },
    ],
  };
  const ofGroup = ["name", "properties", "mapping.0.schemaId", "mapping.0.dataSource", "mapping.2.schemaId"];
  expect(await fieldsOf("CreateUserGroup", { providedId: "", ...group })).toEqual(
    invalid("providedId", ...ofGroup),
  );
  expect(await fieldsOf("GetOrCreateUserGroup", { providedId: "", ...group })).toEqual(
    invalid("providedId", ...ofGroup),
  );
  expect(await fieldsOf("GetOrCreateUserGroup", { providedId: "" })).toEqual(invalid("providedId"));
  expect(
    await fieldsOf("GetOrCreateUserGroup", { providedId: "all invalid", mapping: group.mapping }),
  ).toEqual(invalid("name", ...ofGroup.slice(2)));
  expect(await fieldsOf("UpdateUserGroup", { by: { providedId: "" }, ...group })).toEqual(
    invalid("by.providedId", ...ofGroup),
  );
  expect(
    await fieldsOf("SetUserGroupMapping", { by: { providedId: "" }, schemaId: "", dataSource: "" }),
  ).toEqual(invalid("by.providedId", "schemaId", "dataSource"));
  expect(await fieldsOf("RemoveUserGroupMapping", { by: { providedId: "" }, schemaId: "" })).toEqual(
    invalid("by.providedId", "schemaId"),
  );
  expect(
    await fieldsOf("ReplaceUserGroupMapping", { by: { providedId: "" }, mapping: group.mapping }),
  ).toEqual(invalid("by.providedId", ...ofGroup.slice(2)));
  expect(
    await fieldsOf("DeleteUserGroup", { by: { providedId: "" }, providedId: "", dataSourceProvidedId: "" }),
  ).toEqual(invalid("by.providedId", "providedId", "dataSourceProvidedId"));
  expect(await fieldsOf("CreateDataSource", { providedId: "", name: "" })).toEqual(
    invalid("providedId", "name"),
  );
  expect(await fieldsOf("UpdateDataSource", { by: { providedId: "" }, providedId: null, name: "" })).toEqual(
    invalid("by.providedId", "providedId", "name"),
  );
  const mapping = [
    { schemaId: "a", dataSource: "nowhere" },
    { schemaId: "b", dataSource: "sales" },
    { schemaId: "c", dataSource: "elsewhere" },
  ];
  expect(await fieldsOf("CreateUserGroup", { providedId: "unmapped", name: "U", mapping })).toEqual([
    ["UNKNOWN_DATA_SOURCE", "mapping.0.dataSource"],
    ["UNKNOWN_DATA_SOURCE", "mapping.2.dataSource"],
  ]);
});

test("an upsert lists at most 100 errors, plus the first of each further group", async () => {
  const { run } = graphql();
  const mapping = Array.from({ length: 60 }, () => ({ schemaId: "", dataSource: "sales" }));
  const userGroups = [
    { providedId: "fine", name: "Fine" },
    ...["many a", "many b", "many c"].map((providedId) => ({ providedId, name: "", mapping })),
  ];
  const { upsertUserGroups } = await run(
    `mutation ($input: UpsertUserGroupsInput!) {
      upsertUserGroups(input: $input) { results { userErrors { field } } userErrors { field } }
    }`,
    { input: { userGroups } },
  );
  const { results, userErrors } = upsertUserGroups;
  expect(results.map((result: { userErrors: unknown[] }) => result.userErrors.length)).toEqual([
    1, 61, 39, 1,
  ]);
  expect(userErrors).toHaveLength(101);
  expect(userErrors.at(-1)).toEqual({ field: ["userGroups", "3", "name"] });
});

/** Values of the required input fields of mutations that have a guard. */
const REQUIRED: Readonly<Record<string, unknown>> = {
  by: { providedId: "guarded" },
  source: { text: JSON.stringify(goodSite) },
  patch: { name: "Patched" },
  revision: 1,
};

const mutations = Object.values(createSchema().getMutationType()?.getFields() ?? {});
const guards = mutations.flatMap(({ name: mutation, args: [input] }) => {
  const type = input && isNonNullType(input.type) ? input.type.ofType : input?.type;
  return isInputObjectType(type) ? guardsOf(type).map((field) => ({ mutation, type, field })) : [];
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
        "deleteSiteConfig.expectedRevision",
      ]),
    );
  });

  test.each(guards)("$mutation.$field", async ({ mutation, type, field }) => {
    const { run } = graphql();
    await run(`mutation { getOrCreateUserGroup(input: { providedId: "guarded", name: "G" }) { isNew } }`);
    await run(
      `mutation ($source: SiteConfigSource!) { putSiteConfig(input: { source: $source }) { userErrors { code } } }`,
      { source: REQUIRED["source"] },
    );
    const fields = Object.values(type.getFields());
    const required = fields.filter((each) => isNonNullType(each.type) && each.defaultValue === undefined);
    const input = Object.fromEntries(required.map(({ name }) => [name, REQUIRED[name]]));
    const query = `mutation ($input: ${type.name}!) { result: ${mutation}(input: $input) { userErrors { code field message } } }`;
    const { result } = await run(query, { input: { ...input, [field]: null } });
    expect(result.userErrors).toEqual([
      {
        code: "INVALID_FIELD",
        field: [field],
        message: `${field} must not be null; omit it to skip the check.`,
      },
    ]);
    expect(type.getFields()[field]?.description).toMatch(/Must not be null\.$/);
    // Without the guard, the same change is made: only the null was refused.
    expect((await run(query, { input })).result.userErrors).toEqual([]);
  });
});
