import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepZeros, manyPages } from "../../../packages/site-config/test/documents.js";
import type { JsonValue } from "../../../src/domain/shared/json.js";
import { mergePatchText } from "../../../src/domain/shared/merge-patch.js";
import { printDocument } from "../../../src/domain/site-configs/document-source.js";
import { MAX_SITE_CONFIG_BYTES } from "../../../src/domain/site-configs/site-config.js";

const patched = (text: string, patch: JsonValue) =>
  mergePatchText(text, JSON.stringify(patch), MAX_SITE_CONFIG_BYTES);
const indented = (document: JsonValue) => `${JSON.stringify(document, null, 2)}\n`;

describe("a document given as JSON", () => {
  test("is indented up to the size limit, and on one line beyond it", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const filling: JsonValue = ["ö€😀", JSON.parse(text)];
        const length = MAX_SITE_CONFIG_BYTES - Buffer.byteLength(indented(["", filling]));
        const largest = ["x".repeat(length), filling];
        expect(printDocument(largest)).toBe(indented(largest));
        const beyond = ["x".repeat(length + 1), filling];
        expect(printDocument(beyond)).toBe(JSON.stringify(beyond));
      }),
      { numRuns: 50 },
    );
  });
});

describe("text added by a merge patch", () => {
  test.each([
    ["two spaces", '{\n  "a": 1\n}'],
    ["no indentation", '{\n"a": 1\n}'],
    ["a tab", '{\n\t"a": 1\n}'],
  ])("is on one line rather than deeply indented: %s", (_, text) => {
    const result = patched(text, { zeros: deepZeros(), b: [1] });
    expect(result).toContain(`"zeros": ${JSON.stringify(deepZeros())}`);
    expect(result).toMatch(/"b": \[\n\s*1\n\s*\]\n\}$/);
  });

  test("is on one line when the document would exceed the limit otherwise", () => {
    const navigation = manyPages();
    const result = patched('{\n  "a": 1,\n  "b": 2\n}', { b: [3], navigation });
    expect(result).toBe(`{\n  "a": 1,\n  "b": [3],"navigation": ${JSON.stringify(navigation)}\n}`);
  });

  test("is not multiplied by a hostile indentation", () => {
    const text = `{\n${" ".repeat(100_000)}"a": 1}`;
    const members = Object.fromEntries(Array.from({ length: 10_000 }, (_, id) => [`k${id}`, [id]]));
    const result = patched(text, members);
    expect(result.length).toBe(text.length + JSON.stringify(members).length - 1 + 10_000);
    expect(JSON.parse(result)).toEqual({ a: 1, ...members });
  });
});
