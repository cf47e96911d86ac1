import { describe, expect, test } from "vitest";
import { MAX_FIELD_ERRORS } from "../../../src/domain/shared/errors.js";
import type { JsonObject, JsonValue } from "../../../src/domain/shared/json.js";
import { MAX_PROPERTIES_DEPTH } from "../../../src/domain/user-groups/properties.js";
import { PROPERTY_FORMATS } from "../../../src/domain/user-groups/property-formats.js";
import { findInvalidValues } from "../../../src/domain/user-groups/property-rules.js";
import { MAX_SCHEMA_BYTES, parsePropertySchema } from "../../../src/domain/user-groups/property-schema.js";

const rootOf = (schema: JsonObject) => parsePropertySchema({ type: "object", ...schema }, ["schema"]).root;
const listOf = <Item>(length: number, create: (index: number) => Item) =>
  Array.from({ length }, (_, index) => create(index));
/** Fills most of a schema with one name. */
const repeated = (name: string) =>
  listOf(Math.floor((MAX_SCHEMA_BYTES - 200) / (name.length + 3)), () => name);

/** Returns a value that counts how often its members and items are read or looked for. */
function counted(value: JsonValue, count: { steps: number }): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  const step = <Result>(result: Result) => {
    count.steps += 1;
    return result;
  };
  return new Proxy(value, {
    get: (target, key, receiver) => {
      const member = step(Reflect.get(target, key, receiver));
      return typeof key === "symbol" || typeof member === "function" ? member : counted(member, count);
    },
    getOwnPropertyDescriptor: (target, key) => step(Reflect.getOwnPropertyDescriptor(target, key)),
    ownKeys: (target) => step(Reflect.ownKeys(target)),
  });
}

/** Allowed values on each level, each of which compares all that is below. */
function allowedOnEachLevel(value: JsonValue, levels: number): JsonObject {
  const rule = levels === 1 ? {} : { properties: { a: allowedOnEachLevel(value, levels - 1) } };
  return { enum: [value, 1], ...rule };
}
const nested = (value: JsonValue, levels: number): JsonValue =>
  levels === 1 ? value : { a: nested(value, levels - 1) };

/** Schemas with values of any size `n`, for which a check does as much as it can. */
const HOSTILE: Readonly<
  Record<string, readonly [schema: JsonObject, createValue: (n: number) => JsonObject, isValid: boolean]>
> = {
  "wide objects": [
    { additionalProperties: { type: "integer", minimum: 0 } },
    (n) => Object.fromEntries(listOf(n, (index) => [`p${index}`, index])),
    true,
  ],
  "lists with a large enum of objects": [
    { properties: { a: { items: { enum: listOf(500, (b) => ({ a: 1, b })) } } } },
    (n) => ({ a: listOf(n, (index) => ({ b: index % 500, a: 1 })) }),
    true,
  ],
  "an enum on each level": [
    { properties: { a: allowedOnEachLevel(0, MAX_PROPERTIES_DEPTH - 1) } },
    (n) => ({
      a: nested(
        listOf(n, () => 1),
        MAX_PROPERTIES_DEPTH - 1,
      ),
    }),
    false,
  ],
  "a required name that is repeated": [
    { properties: { a: { items: { required: repeated("b") } } } },
    (n) => ({ a: listOf(n, () => ({ b: 1 })) }),
    true,
  ],
  "an error in each item": [
    { properties: { a: { items: { properties: { b: { const: 2 } }, required: ["c", "d"] } } } },
    (n) => ({ a: listOf(n, () => ({ b: 1 })) }),
    false,
  ],
};

describe.each(Object.entries(HOSTILE))("%s", (_, [schema, createValue, isValid]) => {
  const root = rootOf(schema);
  const check = (n: number) => {
    const count = { steps: 0 };
    const findings = findInvalidValues(root, counted(createValue(n), count));
    expect(findings.length === 0).toBe(isValid);
    expect(findings.length).toBeLessThanOrEqual(MAX_FIELD_ERRORS);
    return count.steps;
  };

  test("take steps in proportion to the value, on each level at most", () => {
    const [steps, twice] = [check(1000), check(2000)];
    expect(steps).toBeLessThan(20 * MAX_PROPERTIES_DEPTH * 1000);
    expect(twice).toBeLessThan(2.1 * steps);
  });
});

test("types that are repeated are compared, and listed by errors, once", () => {
  const root = rootOf({ properties: { a: { items: { type: [...repeated("null"), "string"] } } } });
  const findings = findInvalidValues(root, { a: listOf(1000, () => 1) });
  expect(findings).toHaveLength(MAX_FIELD_ERRORS);
  expect(findings[0]?.message.slice(0, 100)).toBe("must be null or a string");
});

/** Begin as a valid text does, so that a pattern has much to try; in quadratic time, this test would not end. */
const LONG = ["a", "#a", "1", " ", "@", "a@", "a:", "2026-11-28T09:30:00.1", "http://", "[", "%", "é"];

test.each(Object.entries(PROPERTY_FORMATS))(
  "the format %s takes time linear in the text",
  (_, { isValid }) => {
    for (const part of LONG)
      for (const end of ["", "@@", "\n"]) expect(isValid(part.repeat(100_000) + end)).toBeTypeOf("boolean");
  },
);
