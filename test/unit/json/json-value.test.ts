import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJsonText } from "../../../src/domain/shared/json-text.js";
import { parseJsonObject, parseJsonValue } from "../../../src/domain/shared/json-value.js";

const lenient = { storable: false };

const FLOAT = "must be a number that a 64-bit float keeps; send it as a string";

const refused: readonly (readonly [
  what: string,
  value: unknown,
  place: readonly string[],
  message: string,
])[] = [
  ["1e999", JSON.parse('{"a": [1, 1e999]}'), ["a", "1"], FLOAT],
  ["NaN", Number.NaN, [], FLOAT],
  ["2^53 + 1", parseJsonText("[9007199254740993]", "It"), ["0"], FLOAT],
  ["undefined", { a: undefined }, ["a"], "must be a JSON value"],
  ["a big integer", [[1n]], ["0", "0"], "must be a JSON value"],
  ["a function", () => 1, [], "must be a JSON value"],
];

describe("rejects values that are not JSON or would lose digits", () => {
  test.each(refused)("%s", (_, value, place, message) => {
    const error = expect.objectContaining({ code: "invalid_field", field: ["document", ...place], message });
    expect(() => parseJsonValue(value, ["document"], lenient)).toThrow(error);
  });
});

describe("text that PostgreSQL cannot hold", () => {
  test.each([
    ["a string", { a: ["\u0000"] }, ["a", "0"]],
    ["half a surrogate pair", { a: "\ud800" }, ["a"]],
    ["a key", { a: { "\u0000": 1 } }, ["a"]],
  ])("%s is rejected only where it would be stored", (_, value, field) => {
    expect(parseJsonValue(value, [], lenient)).toEqual(value);
    expect(() => parseJsonValue(value, [], { storable: true })).toThrow(
      expect.objectContaining({ code: "invalid_field", field }),
    );
  });
});

describe("nesting depth", () => {
  test.each([
    ["arrays", (levels: number) => "[".repeat(levels) + "]".repeat(levels)],
    ["objects", (levels: number) => `${'{"a":'.repeat(levels)}0${"}".repeat(levels)}`],
  ])("is limited for %s", (_, text) => {
    const parse = (levels: number, maxDepth?: number) =>
      parseJsonValue(JSON.parse(text(levels)), ["x"], maxDepth ? { storable: false, maxDepth } : lenient);
    expect(parse(3, 3)).toEqual(JSON.parse(text(3)));
    expect(() => parse(4, 3)).toThrow("must be nested at most 3 levels deep");
    expect(parse(300)).toEqual(JSON.parse(text(300)));
    expect(() => parse(100_000)).toThrow(
      expect.objectContaining({ code: "invalid_field", message: "must be nested at most 500 levels deep" }),
    );
  });

  test("does not count scalar values in the last level", () => {
    expect(parseJsonObject({ a: [1] }, [], { storable: true, maxDepth: 2 })).toEqual({ a: [1] });
  });
});

test("copies any JSON value unchanged, including a `__proto__` key", () => {
  const names = fc.constantFrom("__proto__", "constructor", "a");
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(names, fc.jsonValue())), (value) => {
      const text = JSON.stringify(value, (_, item) => (typeof item === "number" ? item % 99 : item));
      expect(JSON.stringify(parseJsonValue(JSON.parse(text), [], lenient))).toBe(text);
    }),
  );
  const copy = parseJsonValue(JSON.parse('{"__proto__": {"x": 1}}'), [], lenient);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
});

test("accepts objects without a prototype, such as GraphQL literals", () => {
  const literal = Object.assign(Object.create(null), { a: Object.assign(Object.create(null), { b: 1 }) });
  expect(parseJsonValue(literal, [], lenient)).toStrictEqual({ a: { b: 1 } });
});
