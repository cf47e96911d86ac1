import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonSource, parseStoredJson, withSource } from "../../../src/domain/shared/stored-json.js";

const parse = (text: string) => parseStoredJson(text, ["p"], 16);

/** JSON text with white space between any two tokens. */
const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom("", " ", "\t", "\n  ", " \r\n"))
  .map(([value, space]) => ({
    value,
    text: JSON.stringify(value, null, 1).replaceAll("\n", space === "" ? "\n" : `${space}\n`),
  }));

/** A member of an object in `text`, read with `withSource`. */
function sourceOf(text: string, key: string): unknown {
  const member = withSource(JSON.parse(text), key, text)[key];
  return member instanceof JsonSource ? member.text : member;
}

describe("finding the text of a member", () => {
  test("works at any position and with any neighbours", () => {
    fc.assert(
      fc.property(fc.jsonValue(), spaced, fc.jsonValue(), (before, { text }, after) => {
        const value = `{"x": ${text}}`;
        const body = `\n{ "a}": ${JSON.stringify(before)} , "properties" :${value},"z":${JSON.stringify(after)} } `;
        expect(sourceOf(body, "properties")).toBe(value);
      }),
    );
  });

  test.each([
    ['{"p":{"a":1},"p":{"b":2}}', '{"b":2}'],
    ['{"p":5,"p":{"b":2},"q":{"p":{"c":3}}}', '{"b":2}'],
    ['{"\\u0070":{"a":"}\\""}}', '{"a":"}\\""}'],
    ['{"p":{"a":1},"p":null}', null],
    ['{"p":[{}]}', [{}]],
    ["{}", undefined],
  ])("%s", (text, expected) => {
    expect(sourceOf(text, "p")).toEqual(expected);
  });
});

describe("compacting stored text", () => {
  test("removes white space between tokens", () => {
    fc.assert(
      fc.property(spaced, ({ value, text }) => {
        expect(parse(text)).toBe(JSON.stringify(value));
      }),
    );
  });

  test.each([
    '{"b":1,"10":2,"2":3}',
    '{"a":1.0,"b":1e400,"c":123456789012345678901234567890,"d":-0,"e":0.1234567890123456789012,"f":1E+5}',
    '{"a":1,"a":2}',
    '{"a":"\\u00e9\\/ \\ud83d\\ude42"}',
    '{"__proto__":{"constructor":1}}',
    '{"a":1e131071,"b":1e-16383}',
  ])("leaves %s unchanged", (text) => {
    expect(parse(text)).toBe(text);
  });

  const RANGE = "must be a number of at most 131072 digits before the decimal point and 16383 after it";
  test.each([
    ['{"a":[1,1e131072]}', ["a", "1"], RANGE],
    ['{"a":1e-16384}', ["a"], RANGE],
    [`{"a":0.${"1".repeat(16_384)}}`, ["a"], RANGE],
    ['{"a":-1e99999999999999999999999}', ["a"], RANGE],
    ['{"a":{"b":"x\\u0000"},"a":{"b":""}}', ["a", "b"], "must not contain the character U+0000"],
    ['{"a":{"\\u0000":1}}', ["a"], "must not contain the character U+0000"],
    ['[[],{"a":["\\ud800"]}]', ["1", "a", "0"], "must not contain an unpaired surrogate"],
    [`${"[".repeat(17)}${"]".repeat(17)}`, Array(16).fill("0"), "must be nested at most 16 levels deep"],
  ])("rejects %.60s", (text, place, message) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ field: ["p", ...place], message }));
  });

  test("rejects a body nested 100,000 levels deep without a stack overflow", () => {
    const depth = 100_000;
    const text = `{"p":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
    expect(() => parse(String(sourceOf(text, "p")))).toThrow("must be nested at most 16 levels deep");
  });
});
