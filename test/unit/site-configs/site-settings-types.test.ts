import { formsOf, type ObjectShape, type SettingShape, SITE_CONFIG } from "@user-groups/site-config";
import { buildSchema, type GraphQLObjectType, isNonNullType, isObjectType } from "graphql";
import { expect, test } from "vitest";
import { printSdl } from "../../../src/graphql/server/schema.js";

const schema = buildSchema(printSdl());

test("the types have every property of the format, and required or defaulted ones are non-null", () => {
  expect(compare("SiteSettings", SITE_CONFIG)).toEqual([]);
});

/** Deliberate differences between a type and its shape in the table. */
function compare(name: string, shape: ObjectShape): string[] {
  const type = schema.getType(name);
  if (!isObjectType(type)) return [`${name} is missing`];
  return Object.entries(shape.properties).flatMap(([key, property]) => {
    if (key === "$schema") return [];
    const field = fieldOf(type, key);
    if (!field) return [`${name} has no field for ${key}`];
    const isKnown = property.required === true || property.default !== undefined;
    const faults = isKnown && !isNonNullType(field.type) ? [`${name}.${field.name} may be null`] : [];
    return [
      ...faults,
      ...objectsIn(property.shape).flatMap((each) => compare(`Site${each.typeName.name}`, each)),
    ];
  });
}

function fieldOf(type: GraphQLObjectType, key: string) {
  return Object.values(type.getFields()).find(
    ({ name }) => name.toLowerCase() === key.replaceAll("-", "").toLowerCase(),
  );
}

/** The object shapes within a shape, except for nested groups. */
function objectsIn(shape: SettingShape): ObjectShape[] {
  return formsOf(shape).flatMap((form) => {
    if (form.kind === "array") {
      const options = form.items.kind === "union" ? form.items.options : [form.items];
      return options.flatMap(objectsIn);
    }
    return form.kind === "object" && form.undocumented === undefined ? [form] : [];
  });
}
