import { describe, expect, test } from "vitest";
import { DomainError, domainErrorOr } from "../../../src/domain/shared/errors.js";
import { MAX_SCHEMA_LEVELS, parsePropertySchema } from "../../../src/domain/user-groups/property-schema.js";

/** Returns the paths that are refused, with their messages. */
function refusalsOf(schema: unknown): string[] {
  const parsed = domainErrorOr(() => parsePropertySchema(schema, ["schema"]));
  return parsed instanceof DomainError
    ? parsed.fields.map(({ field, message }) => `${field.join(".")} ${message}`)
    : [];
}

const object = { type: "object" } as const;
const ofMember = (rule: unknown) => ({ ...object, properties: { a: rule } });
const nested = (levels: number): unknown =>
  levels === 1 ? {} : { type: "object", properties: { a: nested(levels - 1) } };

test("keeps the schema as JSON text, with every keyword of the subset", () => {
  const schema = {
    type: "object",
    title: "Properties",
    description: "What dashboards read.",
    required: ["region"],
    additionalProperties: { type: ["string", "null"], maxLength: 10 },
    properties: {
      region: { enum: ["eu", "us"], default: "eu", examples: ["us"] },
      start: { type: "string", format: "date", deprecated: true },
      limits: { type: "array", minItems: 1, maxItems: 3, items: { minimum: 0, maximum: 9.5 } },
      kind: { const: null, minLength: 1 },
    },
  };
  expect(parsePropertySchema(schema, ["schema"]).text).toBe(JSON.stringify(schema));
});

describe("refuses by path", () => {
  test.each<readonly [what: string, schema: unknown, refusals: readonly unknown[]]>([
    ["a list", [], ["schema must be a JSON object or null"]],
    ["another type of the root", { type: "array" }, ["schema.type must be `object`"]],
    ["a root without a type", {}, ["schema.type must be `object`"]],
    ["a root of several types", { type: ["object", "null"] }, ["schema.type must be `object`"]],
    [
      "keywords outside of the subset",
      ofMember({ pattern: "(a+)+", $ref: "#", allOf: [], uniqueItems: true }),
      ["pattern", "$ref", "allOf", "uniqueItems"].map((keyword) =>
        expect.stringMatching(`^schema\\.properties\\.a\\.\\${keyword} is not supported`),
      ),
    ],
    [
      "a name of every object",
      ofMember({ constructor: 1 }),
      [expect.stringContaining("a.constructor is not")],
    ],
    [
      "an unknown format",
      ofMember({ format: "regex" }),
      [expect.stringContaining("a.format must be one of color,")],
    ],
    [
      "a format of every object",
      ofMember({ format: "toString" }),
      [expect.stringContaining("a.format must")],
    ],
    [
      "an unknown type",
      ofMember({ type: ["text"] }),
      [expect.stringContaining("a.type must be one or a list of")],
    ],
    ["no types", ofMember({ type: [] }), ["schema.properties.a.type must not be empty"]],
    ["no allowed values", ofMember({ enum: [] }), ["schema.properties.a.enum must not be empty"]],
    ["a rule that is none", ofMember(true), ["schema.properties.a must be a JSON object"]],
    ["items that are a list", ofMember({ items: [{}] }), ["schema.properties.a.items must be a JSON object"]],
    [
      "several invalid keywords",
      ofMember({
        minimum: "1",
        minLength: -1,
        maxItems: 1.5,
        required: [1],
        title: 1,
        deprecated: 1,
        examples: 1,
      }),
      [
        "schema.properties.a.title must be a string",
        "schema.properties.a.deprecated must be true or false",
        "schema.properties.a.examples must be a list",
        "schema.properties.a.minimum must be a number",
        "schema.properties.a.minLength must be a whole number from 0",
        "schema.properties.a.maxItems must be a whole number from 0",
        "schema.properties.a.required.0 must be a string",
      ],
    ],
    [
      "a number that a float does not keep",
      ofMember({ maximum: Number.POSITIVE_INFINITY }),
      ["schema.properties.a.maximum must be a number that a 64-bit float keeps; use one with fewer digits"],
    ],
    [
      "a default that is not valid",
      ofMember({ type: "object", properties: { b: { type: "integer" } }, default: { b: "x" } }),
      ["schema.properties.a.default.b must be a whole number"],
    ],
  ])("%s", (_, schema, refusals) => expect(refusalsOf(schema)).toEqual(refusals));
});

describe("limits", () => {
  test("levels of rules", () => {
    expect(refusalsOf(nested(MAX_SCHEMA_LEVELS))).toEqual([]);
    expect(refusalsOf(nested(MAX_SCHEMA_LEVELS + 1))).toEqual([
      expect.stringMatching(/\.a must be nested at most 17 levels deep$/),
    ]);
  });

  test("levels of JSON", () => {
    expect(refusalsOf(nested(500))).toEqual([
      expect.stringContaining("must be nested at most 50 levels deep"),
    ]);
  });

  test("rules", () => {
    const wide = (count: number) => ({
      ...object,
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}])),
    });
    expect(refusalsOf(wide(999))).toEqual([]);
    expect(refusalsOf(wide(1000))).toEqual([
      "schema.properties.p999 is one rule too many: a schema has at most 1000",
    ]);
  });

  test("bytes of text", () => {
    const rest = Buffer.byteLength(JSON.stringify({ ...object, title: "" }));
    expect(refusalsOf({ ...object, title: "a".repeat(16_384 - rest) })).toEqual([]);
    expect(refusalsOf({ ...object, title: "a".repeat(16_385 - rest) })).toEqual([
      "schema must be at most 16384 bytes of JSON",
    ]);
  });

  test("errors", () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 1]));
    expect(refusalsOf({ ...object, ...many })).toHaveLength(100);
  });
});
