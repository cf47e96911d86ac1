import { parse } from "graphql";
import { expect, test } from "vitest";
import { textOf } from "../../clients/typescript/src/document.js";

test.each([
  "{ a }",
  'query Q($a: Int = 1 @d, $b: [[T!]]! = [{ c: "\\"\\n\\u0001é", d: [] }]) @d(e: $a) { f: g(h: $b, i: E) @d { j } k }',
  'mutation { a(b: null, c: true, d: -1.5e3, e: {}, f: """block \'text\'""") { ...F @d ... on T @d { b } ... @d(e: 1) { c } } } fragment F on T @d { a }',
  "subscription S { a } query Other { b }",
])("a parsed document is sent as an equal text: %s", (text) => {
  const parsed = parse(text, { noLocation: true });
  // Without comparing whether a string is a block.
  const plain = (document: object) =>
    JSON.parse(JSON.stringify(document, (key, value) => (key === "block" ? undefined : value)));
  expect(plain(parse(textOf(parsed), { noLocation: true }))).toEqual(plain(parsed));
});
