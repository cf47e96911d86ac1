import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SiteConfigCode } from "../src/findings.js";
import { validateSiteConfig } from "../src/validate.js";
import { noisySiteConfig } from "./arbitrary.js";
import { checkDocument } from "./documents.js";

const check = (text: string) => validateSiteConfig(text, { strict: false });

/** The codes for text that is not JSON, or JSON that cannot be stored. */
const JSON_CODES: readonly SiteConfigCode[] = [
  "byte_order_mark",
  "invalid_json",
  "json_comment",
  "trailing_comma",
  "duplicate_key",
  "too_deep",
  "unstorable_text",
];
const jsonErrors = (text: string) => check(text).errors.filter(({ code }) => JSON_CODES.includes(code));

const faults: readonly (readonly [text: string, place: string, code: SiteConfigCode, message: RegExp])[] = [
  ["", "1:1", "invalid_json", /Expected a value, found the end of the text/],
  ['{"a": 1', "1:8", "invalid_json", /The "}" that closes the "{" at line 1, column 1 is missing/],
  ['{"a": [1\n\n', "1:9", "invalid_json", /The "\]" that closes the "\[" at line 1, column 7 is missing/],
  ['{"a": 1,\n "a": 2}', "2:2", "duplicate_key", /"a" more than once/],
  ['{"a": 1} x', "1:10", "invalid_json", /"x" is not valid JSON/],
  ['{"a": 1} {}', "1:10", "invalid_json", /Expected the end of the text after the value/],
  ["{'a': 1}", "1:2", "invalid_json", /double quotes/],
  ["{a: 1}", "1:2", "invalid_json", /double quotes/],
  ['{"a": 01}', "1:8", "invalid_json", /leading zeros/],
  ['{"a": 1.}', "1:7", "invalid_json", /not a number/],
  ['{"a" 1}', "1:6", "invalid_json", /colon/],
  ['{"a": "x\ny"}', "1:7", "invalid_json", /no closing quote on its line/],
  ['{"a": "\\q"}', "1:7", "invalid_json", /backslash/],
  ['{"a": "\\u12"}', "1:7", "invalid_json", /hexadecimal/],
  ['{"a": "\u0001"}', "1:7", "invalid_json", /control character/],
  ['{"a": undefined}', "1:7", "invalid_json", /"undefined" is not valid JSON/],
  ['{"a": 1 "b": 2}', "1:9", "invalid_json", /comma is missing/],
  ['// x\r\n{"a": 1}', "1:1", "json_comment", /does not allow comments/],
  ['{\r"a": /* x */ 1}', "2:6", "json_comment", /does not allow comments/],
  ['{"a": [1,\n2,\n]}', "2:2", "trailing_comma", /closing ]/],
  ['{"a": 1,}', "1:8", "trailing_comma", /closing }/],
  ['\ufeff{"a": 1}', "1:1", "byte_order_mark", /without BOM/],
  ['{"a": "\\ud800"}', "1:7", "unstorable_text", /surrogate/],
  ['{"\\u0000": 1}', "1:2", "unstorable_text", /U\+0000/],
  ["[".repeat(100_000), "1:201", "too_deep", /200 levels/],
  [`${'{"a":'.repeat(100_000)}`, "1:1001", "too_deep", /200 levels/],
];

describe("JSON syntax errors", () => {
  test.each(faults)("%j", (text, place, code, message) => {
    expect(jsonErrors(text).map(({ line, column, ...error }) => [`${line}:${column}`, error.code])).toEqual([
      [place, code],
    ]);
    expect(jsonErrors(text)[0]?.message).toMatch(message);
  });

  test("reports several unambiguous errors at once, with the other findings", () => {
    const text = '{\n  // x\n  "name": "A" "name": 5,\n  "navigation": [1,],\n}';
    expect(check(text).errors.map(({ code, line, column }) => [code, line, column])).toEqual([
      ["json_comment", 2, 3],
      ["invalid_json", 3, 15],
      ["duplicate_key", 3, 15],
      ["wrong_type", 3, 23],
      ["wrong_type", 4, 18],
      ["trailing_comma", 4, 19],
      ["trailing_comma", 4, 21],
    ]);
  });
});

test("points at the value, at the key, or at the object that lacks a property", () => {
  const text =
    '{ "name": "A",\n  "navigation": [{ "group": 1,\n    "pags": [] }], "Favicon": "🙂", "colors": {} }';
  const { errors, warnings } = check(text);
  expect(errors.map(({ pointer, line, column }) => [pointer, line, column])).toEqual([
    ["/navigation/0", 2, 18],
    ["/navigation/0/group", 2, 29],
    ["/colors", 3, 47],
  ]);
  expect(warnings).toEqual([
    expect.objectContaining({ code: "missing_recommended", pointer: "", line: 1, column: 1 }),
    expect.objectContaining({ pointer: "/navigation/0/pags", line: 3, column: 5 }),
    expect.objectContaining({ pointer: "/Favicon", line: 3, column: 20 }),
  ]);
  expect(warnings.map(({ message }) => message.match(/Did you mean (.*)\?/)?.[1])).toEqual([
    undefined,
    '"pages"',
    '"favicon"',
  ]);
});

test("accepts exactly the texts that JSON.parse accepts", () => {
  const fragments = [...'{}[],:"\\10-.e\n /n\ufeff\u00a0'];
  fc.assert(
    fc.property(
      fc.oneof(noisySiteConfig(), fc.jsonValue({ maxDepth: 2 })),
      fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...fragments)), { maxLength: 2 }),
      (document, edits) => {
        const text = edits.reduce(edit, JSON.stringify(document, null, 1));
        const hasErrors = jsonErrors(text).some(
          ({ code }) => code !== "duplicate_key" && code !== "unstorable_text",
        );
        expect(hasErrors).toBe(!isJson(text));
      },
    ),
    { numRuns: 3000 },
  );
});

test("finds the same in text and parsed document", () => {
  fc.assert(
    fc.property(noisySiteConfig(), (document) => {
      const report = check(JSON.stringify(document, null, 2));
      const places = [...report.errors, ...report.warnings].map(
        ({ line = 0, column = 0 }) => line > 0 && column > 0,
      );
      expect(places).not.toContain(false);
      const bare = JSON.parse(
        JSON.stringify(report, (key, value) => (/^(line|column)$/.test(key) ? undefined : value)),
      );
      expect(bare).toEqual(checkDocument(document));
    }),
    { numRuns: 1000 },
  );
});

function edit(text: string, [at, kind, fragment]: readonly [number, number, string]): string {
  const offset = at % (text.length + 1);
  return `${text.slice(0, offset)}${kind === 0 ? "" : fragment}${text.slice(offset + (kind === 1 ? 0 : 1))}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
