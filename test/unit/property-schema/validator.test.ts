import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_FIELD_ERRORS } from "../../../src/domain/shared/errors.js";
import type { JsonObject, JsonValue } from "../../../src/domain/shared/json.js";
import { markInexactNumbers } from "../../../src/domain/shared/json-text.js";
import { MAX_PROPERTIES_BYTES } from "../../../src/domain/user-groups/properties.js";
import { findInvalidValues } from "../../../src/domain/user-groups/property-rules.js";
import { parsePropertySchema } from "../../../src/domain/user-groups/property-schema.js";

/** Texts by format, none of which is valid in another one; found by hand, not by the code under test. */
const valid = {
  color: ["#abc", "#A1b2C3"],
  date: ["2024-02-29", "2026-11-28"],
  "date-time": ["2026-11-28T09:30:00Z", "2026-11-28T09:30:00.125+05:30"],
  uri: ["https://example.com/a?b#c", "mailto:a@b"],
  email: ["a@example.com", "å@example.com"],
  "time-zone": ["Europe/Berlin", "Asia/Kolkata", "Asia/Calcutta", "UTC"],
  currency: ["EUR", "JPY"],
} as const;
const invalid = {
  color: ["#abcd", "abc", "red", "#ggg", "#abc\n", ""],
  date: ["2026-02-30", "2026-2-3", "2026-11-28T00:00:00Z", "20261128", "0000-00-00", ""],
  "date-time": [
    "2026-11-28",
    "2026-11-28T09:30:00",
    "2026-11-28T24:00:00Z",
    "2026-02-30T09:30:00Z",
    "2026-11-28 09:30:00Z",
    "2026-11-28T09:30:60Z",
    "",
  ],
  uri: ["example.com", "/a", "https://exa mple.com", "https://example.com/a b", ""],
  email: ["a", "a@", "@b", "a@b@c", "a b@c", ""],
  "time-zone": ["Berlin", "Mars/Phobos", "europe/berlin", "+01:00", ""],
  currency: ["Euro", "eur", "XYZ", "€", ""],
} as const;

const formats = Object.entries(valid).map(([format, texts]) => ({ format, texts: new Set<string>(texts) }));

describe.each(Object.keys(valid))("the format %s", (format) => {
  const root = rootOf({ properties: { a: { format } } });
  const findingsOf = (a: JsonValue) => findInvalidValues(root, { a });
  const samplesOf = (samples: Readonly<Record<string, readonly string[]>>) => samples[format] ?? [];

  test.each(samplesOf(valid))("accepts %j", (text) => expect(findingsOf(text)).toEqual([]));
  test.each(samplesOf(invalid))("refuses %j", (text) => {
    expect(findingsOf(text)).toEqual([{ field: ["a"], message: expect.stringMatching(/^must be an? /) }]);
  });
  test("concerns texts only", () => expect(findingsOf(5)).toEqual([]));
});

/** Few names, numbers and texts, so that values often satisfy rules. Without `__proto__`, which ajv ignores in `properties`. */
const names = fc.constantFrom("a", "b", "constructor", "é");
const numbers = fc.constantFrom(0, -0, 1, 2, 2.5, 3, -1, 1e21);
const texts = fc.constantFrom("", "a", "ab", "👩", "👩é", ...formats.flatMap((each) => [...each.texts]));
const record = <Value>(values: fc.Arbitrary<Value>) =>
  fc.array(fc.tuple(names, values), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));

const values = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false),
    numbers,
    texts,
    fc.array(tie("value"), { maxLength: 3 }),
    record(tie("value")),
  ),
})).value;
const types = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object");
const counts = fc.constantFrom(0, 1, 2, 3);

/** Rules of up to four keywords: more contradict each other. */
function schemasOf(levels: number): fc.Arbitrary<JsonObject> {
  const inner = levels === 1 ? fc.constant({}) : schemasOf(levels - 1);
  const keywords = {
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
    enum: fc.array(values, { minLength: 1, maxLength: 8 }),
    const: values,
    properties: record(inner),
    required: fc.uniqueArray(names, { maxLength: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), inner),
    items: inner,
    minimum: numbers,
    maximum: numbers,
    minLength: counts,
    maxLength: counts,
    minItems: counts,
    maxItems: counts,
    format: fc.constantFrom(...formats.map(({ format }) => format)),
    title: texts,
    deprecated: fc.boolean(),
  };
  const members = Object.entries<fc.Arbitrary<JsonValue>>(keywords).map(([name, value]) =>
    fc.tuple(fc.constant(name), value),
  );
  return fc.array(fc.oneof(...members), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));
}

test("agrees with ajv on random schemas and values", () => {
  const seen = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(schemasOf(3), record(values), (schema, value) => {
      const ajv = new Ajv2020({ strict: false, ownProperties: true, addUsedSchema: false });
      for (const { format, texts } of formats)
        ajv.addFormat(format, { type: "string", validate: (text: string) => texts.has(text) });
      const sent = { ...schema, type: "object" };
      const expected = ajv.compile(sent)(value);
      seen[expected ? "valid" : "invalid"] += 1;
      const findings = findInvalidValues(rootOf(sent), value);
      expect(findings.length === 0).toBe(expected);
    }),
    { numRuns: 300, endOnFailure: true },
  );
  expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(50);
});

describe("findings", () => {
  const root = rootOf({
    properties: {
      region: { type: "string", enum: ["eu", "us"] },
      limit: { type: ["integer", "null"], minimum: 1, maximum: 10 },
      code: { minLength: 2, maxLength: 3 },
      tags: { type: "array", minItems: 1, maxItems: 2, items: { type: "string" } },
      theme: { type: "object", properties: { main: { format: "color" } }, additionalProperties: false },
      kind: { const: { b: 1, a: [-0] } },
    },
    required: ["region"],
  });
  const messagesOf = (text: string) =>
    findInvalidValues(root, JSON.parse(markInexactNumbers(text))).map(
      ({ field, message }) => `${field.join(".")} ${message}`,
    );

  test.each<readonly [properties: string, messages: string[]]>([
    ["{}", ["region is required"]],
    ['{"region":"eu","limit":null,"code":"👩é","kind":{"a":[0],"b":1.0},"else":[1]}', []],
    ['{"region":"de"}', ['region must be one of "eu", "us"']],
    ['{"region":1}', ["region must be a string"]],
    ['{"region":"eu","limit":1.5}', ["limit must be a whole number or null"]],
    ['{"region":"eu","limit":0}', ["limit must be at least 1"]],
    ['{"region":"eu","limit":11}', ["limit must be at most 10"]],
    ['{"region":"eu","limit":9007199254740993}', ["limit must be a number that a 64-bit float keeps"]],
    ['{"region":"eu","limit":1e999}', ["limit must be a number that a 64-bit float keeps"]],
    ['{"region":"eu","code":"👩"}', ["code must have at least 2 characters"]],
    ['{"region":"eu","tags":[]}', ["tags must have at least 1 items"]],
    [
      '{"region":"eu","tags":["a",1,null]}',
      ["tags must have at most 2 items", "tags.1 must be a string", "tags.2 must be a string"],
    ],
    [
      '{"region":"eu","theme":{"main":"red","mian":"#abc"}}',
      ["theme.main must be a color as #rgb or #rrggbb", "theme.mian is not in the schema for properties"],
    ],
    ['{"region":"eu","kind":null}', ['kind must be {"a":[0],"b":1}']],
  ])("of %s", (properties, messages) => expect(messagesOf(properties)).toEqual(messages));

  test("of members with the names of every object's", () => {
    const schema: JsonObject = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"}},"required":["toString"]}',
    );
    const found = findInvalidValues(rootOf(schema), JSON.parse('{"__proto__":1}'));
    expect(found.map(({ field }) => field)).toEqual([["toString"], ["__proto__"]]);
  });

  test("concern the checked members only", () => {
    const isChecked = (name: string) => name === "limit";
    const found = findInvalidValues(root, { code: "a", limit: 0, theme: { a: 1 } }, { isChecked });
    expect(found.map(({ field }) => field)).toEqual([["limit"]]);
  });
});

describe("hostile values and schemas", () => {
  test("many errors end at 100", () => {
    const items = Array.from({ length: 30_000 }, () => 1);
    const root = rootOf({ properties: { a: { items: { type: "string" } } } });
    expect(findInvalidValues(root, { a: items })).toHaveLength(MAX_FIELD_ERRORS);
    expect(findInvalidValues(root, { a: items }, { max: 1 })).toHaveLength(1);
    const closed = rootOf({ additionalProperties: false });
    const wide = Object.fromEntries(items.map((_, index) => [`p${index}`, 1]));
    expect(findInvalidValues(closed, wide)).toHaveLength(MAX_FIELD_ERRORS);
  });

  test("the errors of a large list of allowed values, and of long names, stay small", () => {
    const allowed = Array.from({ length: 3000 }, (_, index) => index);
    const name = "n".repeat(MAX_PROPERTIES_BYTES - 1000);
    const root = rootOf({ additionalProperties: { items: { enum: allowed } } });
    const findings = findInvalidValues(root, { [name]: Array.from({ length: 200 }, () => -1) });
    expect(findings).toHaveLength(MAX_FIELD_ERRORS);
    expect(findings[0]?.message).toBe("must be one of the 3000 values that the schema allows");
    expect(JSON.stringify(findings).length).toBeLessThan(50_000);
  });

  test("allowed values are compared once for each value, however many there are", () => {
    let reads = 0;
    const counted = new Proxy(
      { b: 1, a: 2 },
      {
        ownKeys: (target) => {
          reads += 1;
          return Reflect.ownKeys(target);
        },
      },
    );
    const allowed = Array.from({ length: 1000 }, (_, b) => ({ a: 1, b }));
    const root = rootOf({ properties: { a: { enum: allowed } } });
    expect(findInvalidValues(root, { a: counted })).toHaveLength(1);
    expect(reads).toBe(1);
  });
});

function rootOf(schema: JsonObject) {
  return parsePropertySchema({ type: "object", ...schema }, ["schema"]).root;
}
