import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DomainError } from "../src/domain/errors.js";
import { MAX_MAPPING_ENTRIES, parseMappingList } from "../src/domain/mapping.js";
import { parseProperties } from "../src/domain/properties.js";
import { parseText } from "../src/domain/text-field.js";
import { createRequestParsers } from "../src/rest/user-requests.js";

const parse = createRequestParsers();

/** What a parser makes of its input: a value, or the field and the message that a caller is told. */
function outcomeOf(run: () => unknown): unknown {
  try {
    return { value: run() };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { code: error.code, field: error.field, rule: error.message };
  }
}

const AROUND_THE_LIMIT = ["x", "🙂", "é"].flatMap((unit) =>
  [1, 127, 128, 254, 255, 256, 510, 511].map((length) => unit.repeat(length)),
);
const texts = fc.oneof(
  fc.constantFrom(...AROUND_THE_LIMIT, "", "\u0000", "a\ud800", "\udc00a", `${"🙂".repeat(255)}\ud83d`),
  fc.string({ unit: "binary", maxLength: 5 }),
);
const others = fc.constantFrom<unknown>(null, true, 0, 2 ** 53 + 2, Number.POSITIVE_INFINITY, [], {}, ["x"]);
const values: fc.Arbitrary<unknown> = fc.oneof({ weight: 3, arbitrary: texts }, others);

/** Keys that mean something to JavaScript among them, as JSON.parse makes them: all are the object's own. */
const objects = fc
  .array(fc.tuple(fc.oneof(texts, fc.constantFrom("__proto__", "constructor", "a/b", "~1")), values), {
    maxLength: 4,
  })
  .map((entries) => Object.fromEntries(entries));

describe("the compiled bodies say what the domain says to GraphQL", () => {
  test("of a text", () => {
    fc.assert(
      fc.property(values, (value) => {
        const expected = outcomeOf(() => parseText(value, ["user_group_id"]));
        expect(outcomeOf(() => parse.providedId({ user_group_id: value }))).toEqual(expected);
      }),
    );
  });

  test("of properties", () => {
    fc.assert(
      fc.property(fc.oneof(objects, values), (properties) => {
        const expected = outcomeOf(() => parseProperties(properties, ["properties"]));
        const update = () => parse.update({ user_group_id: "x", properties }).changes.properties;
        expect(outcomeOf(update)).toEqual(expected);
      }),
    );
  });

  test("of a mapping, whose first faulty entry counts, be it the name or the value", () => {
    fc.assert(
      fc.property(objects, (mapping) => {
        const list = Object.entries(mapping).map(([schemaId, dataSource]) => ({ schemaId, dataSource }));
        const listed = outcomeOf(() => parseMappingList(list, []));
        const read = outcomeOf(() => parse.newUserGroup({ name: "N", mapping }).mapping);
        expect(read).toEqual(asObject(listed, list));
      }),
    );
  });
});

describe("of several faults the first is told", () => {
  const everything = { properties: 1, mapping: 1, name: 1, user_group_id: 1 };
  test.each([
    [parse.providedId, everything, ["user_group_id"]],
    [parse.newUserGroup, everything, ["name"]],
    [parse.newUserGroup, { ...everything, name: "N" }, ["properties"]],
    [parse.newUserGroup, { ...everything, name: "N", properties: null }, ["mapping"]],
    [parse.newUserGroup, { name: "N", mapping: { a: 1, "": "x" } }, ["mapping", "a"]],
    [parse.newUserGroup, { name: "N", mapping: { a: "x", "": 1 } }, ["mapping", ""]],
    [parse.update, everything, ["user_group_id"]],
    [parse.update, { ...everything, user_group_id: "x" }, ["name"]],
    [parse.deletion, { user_group_id: 1, data_source_provided_id: 1 }, ["current_token"]],
    [parse.deletion, { data_source_provided_id: 1, user_group_id: 1, current_token: "x" }, ["user_group_id"]],
  ])("%o %j: %j", (run, body, field) => {
    expect(outcomeOf(() => run(body))).toMatchObject({ code: "invalid_field", field });
  });

  test("a mapping of too many entries before what is wrong with them", () => {
    const names = Array.from({ length: MAX_MAPPING_ENTRIES + 1 }, (_, index) => [`schema ${index}`, index]);
    const outcome = outcomeOf(() => parse.newUserGroup({ name: "N", mapping: Object.fromEntries(names) }));
    expect(outcome).toMatchObject({ field: ["mapping"], rule: "must have at most 1000 entries" });
  });
});

test("nothing is coerced, filled in, taken away or inherited", () => {
  const body = Object.freeze({ user_group_id: "x", extra: Object.freeze({ a: 1 }), properties: null });
  expect(parse.update(body)).toEqual({ providedId: "x", changes: { properties: null } });
  expect(body).toEqual({ user_group_id: "x", extra: { a: 1 }, properties: null });
  const inherited = JSON.parse('{"__proto__": {"user_group_id": "x"}}');
  expect(outcomeOf(() => parse.providedId(inherited))).toMatchObject({ field: ["user_group_id"] });
});

/** What is told of a list's entry, as it is told of an object's, whose entries have one place each. */
function asObject(outcome: unknown, list: readonly { readonly schemaId: string }[]): unknown {
  const { value, field, ...error } = Object(outcome);
  const nameAt = (index: string) => list[Number(index)]?.schemaId;
  if (field) return { ...error, field: ["mapping", nameAt(field[0])] };
  return {
    value: value.map(({ schemaId, dataSource }: { schemaId: string; dataSource: string }) => ({
      schemaId,
      dataSource,
      field: ["mapping", schemaId],
    })),
  };
}
