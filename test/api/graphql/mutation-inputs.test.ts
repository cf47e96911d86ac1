import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from "graphql";
import { describe, expect, test } from "vitest";
import { createSchema } from "../../../src/graphql/server/schema.js";
import { mayLackValue } from "../../../src/graphql/shared/mutation-input.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";

const graphql = await startGraphql({ speed: { keyCacheMs: 0 } });
const { call, mutate, run } = graphql;

/** The optional fields of the mutations' inputs. The conditions of filters are in bulk-conditions.test.ts. */
const FIELDS = Object.values(createSchema().getMutationType()?.getFields() ?? {}).flatMap(
  ({ name: mutation, args: [input] }) => {
    const type = getNullableType(input?.type);
    if (!isInputObjectType(type)) throw new Error(`${mutation} has no input.`);
    const fields = Object.values(type.getFields());
    const required = fields.filter(isRequiredInputField);
    return fields
      .filter((field) => !isRequiredInputField(field))
      .map((field) => ({ mutation, path: `${type.name}.${field.name}`, field, required }));
  },
);
/** Fields that may be null, or a variable that was not sent: values to store, and options whose default does not change more. */
const OPTIONAL = [
  "CreateApiKeyInput.expiresAt",
  "CreateEmbedSessionInput.expiresInSeconds",
  "CreateEmbedSessionInput.variables",
  "CreateTemplateSessionInput.variables",
  "CreateUserGroupInput.mapping",
  "CreateUserGroupInput.properties",
  "GetOrCreateUserGroupInput.mapping",
  "GetOrCreateUserGroupInput.name",
  "GetOrCreateUserGroupInput.properties",
  "PatchSiteConfigInput.strict",
  "PutSiteConfigInput.isPublic",
  "PutSiteConfigInput.strict",
  "RotateUserGroupTokenInput.graceSeconds",
  "RotateUserGroupTokensInput.graceSeconds",
  "SetPropertySchemaInput.schema",
  "UndoBulkChangeInput.after",
  "UpdateDataSourceInput.name",
  "UpdateDataSourceInput.providedId",
  "UpdateSessionTemplateInput.url",
  "UpdateUserGroupInput.mapping",
  "UpdateUserGroupInput.name",
  "UpdateUserGroupInput.properties",
  "UpdateUserGroupInput.propertiesPatch",
  "UpdateUserGroupsInput.after",
  "UpdateUserGroupsInput.propertiesPatch",
  "UpdateUserGroupsInput.removeMapping",
  "UpdateUserGroupsInput.setMapping",
  "UpdateWebhookEndpointInput.enabled",
  "UpdateWebhookEndpointInput.events",
  "UpdateWebhookEndpointInput.name",
  "UpdateWebhookEndpointInput.url",
];

test("the fields that may lack a value are these", () => {
  expect(
    FIELDS.filter(({ field }) => mayLackValue(field))
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(OPTIONAL);
});

/** Writes a value of a type in a document; it need not exist. */
function literal(type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return "[]";
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? "";
  if (!isInputObjectType(nullable)) return { Int: "1", Boolean: "true" }[nullable.name] ?? '"x"';
  const fields = Object.values(nullable.getFields());
  const written = nullable.isOneOf ? fields.slice(0, 1) : fields.filter(isRequiredInputField);
  return `{ ${written.map((field) => `${field.name}: ${literal(field.type)}`).join(" ")} }`;
}

describe.each(FIELDS.filter(({ field }) => !mayLackValue(field)))(
  "$path",
  ({ mutation, field, required }) => {
    const others = required.map(({ name, type }) => `${name}: ${literal(type)}`).join(" ");
    const nullable = getNullableType(field.type);

    test.each([
      ["null", "null", {}, ""],
      ["a variable that was not sent", "$v", {}, `($v: ${nullable})`],
      ["a variable that is null", "$v", { v: null }, `($v: ${nullable})`],
    ])("is refused as %s", async (_, value, variables, types) => {
      const query = `mutation ${types} { ${mutation}(input: { ${others} ${field.name}: ${value} }) { userErrors { code field } } }`;
      const { data, errors } = Object((await call(query, variables)).body);
      const isNull = value === "null" || Object.hasOwn(variables, "v");
      // The type of these does not allow null.
      if (isNull && isNonNullType(field.type)) {
        const code = value === "null" ? "GRAPHQL_VALIDATION_FAILED" : "BAD_USER_INPUT";
        expect(errors).toMatchObject([{ extensions: { code } }]);
      } else {
        expect(errors).toBeUndefined();
        expect(data[mutation].userErrors).toEqual([{ code: "INVALID_FIELD", field: [field.name] }]);
      }
    });

    test("says so", () => {
      if (!isNonNullType(field.type)) expect(field.description).toMatch(/Must not be null\.$/);
    });
  },
);

test("a variable that was not sent keeps the stored value, however often the operation is repeated", async () => {
  await createUserGroup(graphql, "kept", { properties: { plan: "a" }, mapping: [entry("s", "sales")] });
  const query = `mutation ($name: String, $properties: JSON, $mapping: [MappingInput!]) {
    updateUserGroup(input: { by: { providedId: "kept" }, name: $name, properties: $properties, mapping: $mapping }) {
      userGroup { name properties mapping { schemaId } } userErrors { message }
    }
  }`;
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const { updateUserGroup } = await run(query, { name: `Name ${attempt}` });
    expect(updateUserGroup).toEqual({
      userGroup: { name: `Name ${attempt}`, properties: { plan: "a" }, mapping: [{ schemaId: "s" }] },
      userErrors: [],
    });
  }
});

test("a variable within a JSON value is stored, and refused if it was not sent, however often the operation is repeated", async () => {
  await createUserGroup(graphql, "within", { properties: { plan: "a", seats: 1 } });
  const query = `mutation ($plan: JSON) {
    updateUserGroup(input: { by: { providedId: "within" }, propertiesPatch: { plan: $plan } }) {
      userGroup { properties } userErrors { field }
    }
  }`;
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const { updateUserGroup } = await run(query, { plan: attempt });
    expect(updateUserGroup).toEqual({
      userGroup: { properties: { plan: attempt, seats: 1 } },
      userErrors: [],
    });
    const { updateUserGroup: unsent } = await run(query, {});
    expect(unsent).toEqual({ userGroup: null, userErrors: [{ field: ["propertiesPatch", "plan"] }] });
  }
});

test("the same schema cannot be set and removed", async () => {
  const inputs = FIELDS.filter(({ field }) => field.name === "removeMapping").map(({ mutation }) => mutation);
  expect(inputs).toEqual(["updateUserGroups"]);
  await createUserGroup(graphql, "mapped");
  const { results, userErrors } = await mutate(
    "updateUserGroups",
    {
      userGroups: [{ providedId: "mapped" }],
      setMapping: [entry("a", "sales"), entry("b", "sales")],
      removeMapping: ["c", "b"],
    },
    "results { isChanged }",
  );
  expect(results).toEqual([]);
  expect(userErrors).toMatchObject([{ code: "INVALID_FIELD", field: ["removeMapping", "1"] }]);
});
