import fc from "fast-check";
import { type Node, parseTree } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { isObject, type JsonObject, type JsonValue, memberOf } from "../../../src/domain/shared/json.js";
import { mergePatchText } from "../../../src/domain/shared/merge-patch.js";
import { mergePatch } from "../../support/rest/merge-patch.js";

const parse = (text: string): JsonValue => JSON.parse(text);
const patched = (text: string, patch: JsonValue) => mergePatchText(text, JSON.stringify(patch), 256 * 1024);

/** RFC 7396, appendix A. */
const rfcExamples: readonly (readonly [original: string, patch: string, result: string])[] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', "{}"],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', "null", "null"],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
  ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];

test.each(rfcExamples)("RFC 7396: %s patched with %s is %s", (original, patch, result) => {
  expect(parse(patched(original, parse(patch)))).toEqual(parse(result));
});

const spread = '{\n  "a": 1.0,\n  "b": {"x": 1e3},\n\n  "c": [\n    true\n  ]\n}\n';

type LayoutExample = readonly [what: string, text: string, patch: JsonObject, result: string];

const layouts: readonly LayoutExample[] = [
  ["a value in its place", spread, { a: 2 }, spread.replace("1.0", "2")],
  ["an equal value as it is spelt", spread, { a: 1, b: { x: 1000 }, c: [true] }, spread],
  ["the first member gone", spread, { a: null }, spread.replace('\n  "a": 1.0,', "")],
  ["one in the middle gone", spread, { b: null }, spread.replace('\n  "b": {"x": 1e3},', "")],
  ["the last gone", spread, { c: null }, '{\n  "a": 1.0,\n  "b": {"x": 1e3}\n}\n'],
  ["all gone", spread, { a: null, b: null, c: null }, "{}\n"],
  [
    "another in place of all",
    spread,
    { a: null, b: null, c: null, d: 1, e: 2 },
    '{\n  "d": 1,\n  "e": 2\n}\n',
  ],
  ["a new one on its line", spread, { d: 1 }, spread.replace("  ]\n", '  ],\n  "d": 1\n')],
  ["a new one in a line", spread, { b: { y: 1 } }, spread.replace("1e3", '1e3, "y": 1')],
  [
    "a new object over lines",
    spread,
    { b: { y: { z: [1, {}], n: null } } },
    spread.replace("1e3", '1e3, "y": {\n    "z": [\n      1,\n      {}\n    ]\n  }'),
  ],
  ["the new for the old", spread, { c: null, d: 1 }, '{\n  "a": 1.0,\n  "b": {"x": 1e3},\n  "d": 1\n}\n'],
  ["a replaced array", spread, { c: [null] }, spread.replace("true", "null")],
  ["tabs and CR LF", '{\r\n\t"a": {}\r\n}', { a: { b: {} } }, '{\r\n\t"a": {\r\n\t\t"b": {}\r\n\t}\r\n}'],
  ["a line of its own, without spaces", '{\n"a":1\n}', { b: [1] }, '{\n"a":1,\n"b":[\n1\n]\n}'],
  ["one line", '{"a":1,"b":2,"c":3}\n', { b: null, d: { e: [1] } }, '{"a":1,"c":3,"d":{"e":[1]}}\n'],
  ["one line with spaces", '{ "a": 1, "b": 2 }', { a: null, d: true }, '{ "b": 2, "d": true }'],
  ["the only member of a line", ' { "a" : 1 } ', { a: null }, " {} "],
  [
    "neighbours that share a line",
    '{\n  "a": 1, "b": 2,\n  "c": 3\n}',
    { b: null },
    '{\n  "a": 1,\n  "c": 3\n}',
  ],
  ["who begins that line", '{\n  "z": 0,\n  "a": 1, "b": 2\n}', { a: null }, '{\n  "z": 0,\n  "b": 2\n}'],
  [
    "commas that begin lines",
    '{ "a": 1\n, "b": 2\n}',
    { b: [1], c: 3 },
    '{ "a": 1\n, "b": [\n 1\n ],\n "c": 3\n}',
  ],
  ["an empty object", '{\n    "a": { }\n}', { a: { b: 1 } }, '{\n    "a": {\n        "b": 1\n    }\n}'],
  ["an empty text", "{}", { a: { b: 1 } }, '{"a":{"b":1}}'],
  ["keys with escapes", '{"\\u006eame": 1, "\\"": 1}', { name: 2, '"': null }, '{"\\u006eame": 2}'],
  [
    "digits beyond floats",
    '{"a": 12345678901234567890, "b": 1}',
    { b: 2 },
    '{"a": 12345678901234567890, "b": 2}',
  ],
  ["a tree of nulls", '{"a": 1}', { b: { c: null, d: { e: null } }, f: null }, '{"a": 1, "b": {"d":{}}}'],
];

test.each(layouts)("layout: %s", (_, text, patch, result) => {
  expect(patched(text, patch)).toBe(result);
});

test.each<readonly [what: string, text: string, patch: string, result: string]>([
  [
    "numbers",
    '{"a":1,"b":2}',
    '{"b":1.50,"c":{"d":12345678901234567890,"e":[1e400,{"f":null}],"g":null}}',
    '{"a":1,"b":1.50,"c":{"d":12345678901234567890,"e":[1e400,{"f":null}]}}',
  ],
  ["close numbers", '{"b":12345678901234567890}', '{"b":12345678901234567891}', '{"b":12345678901234567891}'],
  [
    "equal numbers",
    '{"a":1.0,"b":[0.0,-10e-1],"c":1}',
    '{"a":1e0,"b":[-0,-1],"c":2}',
    '{"a":1.0,"b":[0.0,-10e-1],"c":2}',
  ],
  [
    "order and spelling of keys",
    '{"z":1}',
    '{"10":1,"\\u0061":2,"2":{"3":null,"1":0}}',
    '{"z":1,"10":1,"\\u0061":2,"2":{"1":0}}',
  ],
  [
    "the last of duplicate keys",
    '{"a":1,"b":0,"a":{"x":1}}',
    '{"a":1,"a":{"y":2}}',
    '{"b":0,"a":{"x":1,"y":2}}',
  ],
  ["no duplicate of a removed key", '{"a":1,"b":0,"a":2}', '{"a":null}', '{"b":0}'],
  ["an escaped string and its value", '{"a":"\\u0062"}', '{"a":"b","c":1}', '{"a":"\\u0062","c":1}'],
])("the text of a patch is kept: %s", (_, text, patch, result) => {
  expect(mergePatchText(text, patch, 1000)).toBe(result);
});

test("treats `__proto__` as an ordinary key", () => {
  const patch = parse('{"__proto__": {"x": 1, "y": null}}');
  expect(patched("{}", patch)).toBe('{"__proto__":{"x":1}}');
  expect(patched('{"__proto__": {"y": 2}}', patch)).toBe('{"__proto__": {"x": 1}}');
  expect(patched('{"__proto__": 1, "toString": 1}', parse('{"__proto__": null}'))).toBe('{"toString": 1}');
  expect(patched('{"a": 1}', { toString: null })).toBe('{"a": 1}');
  expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
});

test("patches the deepest valid document", () => {
  const deep = (inner: string) => `${'{"a":'.repeat(199)}${inner}${"}".repeat(199)}`;
  expect(patched(deep('{"x":1}'), parse(deep('{"x":2}')))).toBe(deep('{"x":2}'));
});

const key = fc.constantFrom("a", "b", "c", "", 'a"', "__proto__", "toString");

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, false, 1, 1000, "a", ""),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((members) => Object.fromEntries(members)),
  ),
}));

const object = fc
  .array(fc.tuple(key, value), { maxLength: 6 })
  .map((members): JsonObject => Object.fromEntries(members));

/** Alternative spellings of a text's tokens. */
const SPELLINGS: Readonly<Record<string, string>> = {
  "1": "1.0",
  "1000": "1E+3",
  '"a"': '"\\u0061"',
  '""': '""',
};

const indented = fc
  .tuple(object, fc.constantFrom("", "\t", "  ", "    "), fc.constantFrom("\n", "\r\n"))
  .map(([document, indentation, newline]) =>
    JSON.stringify(document, null, indentation).replaceAll("\n", newline),
  );

/** Any white space between tokens. */
const wild = fc
  .tuple(
    object,
    fc.array(fc.constantFrom("", "", " ", "\t", "\n  ", "\r\n", "\r"), { minLength: 1, maxLength: 40 }),
  )
  .map(([document, spaces]) =>
    tokensOf(JSON.stringify(document))
      .map((token, index) => (SPELLINGS[token] ?? token) + spaces[index % spaces.length])
      .join(""),
  );

describe.each([
  ["indented texts", indented],
  ["texts with any white space and escapes", wild],
])("%s", (_, texts) => {
  test("match RFC 7396", () => {
    fc.assert(
      fc.property(texts, fc.oneof({ weight: 9, arbitrary: object }, value), (text, patch) => {
        const result = patched(text, patch);
        expect(parse(result)).toEqual(mergePatch(parse(text), patch));
        expect(patched(result, patch)).toBe(result);
      }),
      { numRuns: 3000 },
    );
  });

  test("preserve the text of everything the patch does not name", () => {
    fc.assert(
      fc.property(texts, object, (text, patch) => {
        const result = patched(text, patch);
        expect(untouched(result, parseTree(result), patch)).toEqual(untouched(text, parseTree(text), patch));
      }),
      { numRuns: 1000 },
    );
  });
});

/** The source text of members that a patch does not name, by key. */
function untouched(text: string, node: Node | undefined, patch: JsonValue): string[] {
  if (!isObject(patch) || node?.type !== "object") return [];
  return (node.children ?? []).flatMap(({ offset, length, children: [name, child] = [] }) => {
    const change = memberOf(patch, String(name?.value));
    return change === undefined ? [text.slice(offset, offset + length)] : untouched(text, child, change);
  });
}

function tokensOf(json: string): readonly string[] {
  return json.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"]+/g) ?? [];
}
