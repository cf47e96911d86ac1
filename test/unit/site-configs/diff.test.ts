import fc from "fast-check";
import fastJsonPatch from "fast-json-patch";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/domain/shared/json.js";
import { diffJson, type JsonPatchOperation } from "../../../src/domain/site-configs/document/json-diff.js";

type Example = readonly [what: string, from: JsonValue, to: JsonValue, patch: readonly JsonPatchOperation[]];

const parse = (text: string): JsonValue => JSON.parse(text);

/** The examples of RFC 6902, appendix A, that need no other operations. */
const rfcExamples: readonly Example[] = [
  ["A.1: a member", { foo: "bar" }, { baz: "qux", foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }]],
  [
    "A.2: an item",
    { foo: ["bar", "baz"] },
    { foo: ["bar", "qux", "baz"] },
    [{ op: "add", path: "/foo/1", value: "qux" }],
  ],
  ["A.3: no member", { baz: "qux", foo: "bar" }, { foo: "bar" }, [{ op: "remove", path: "/baz" }]],
  [
    "A.4: no item",
    { foo: ["bar", "qux", "baz"] },
    { foo: ["bar", "baz"] },
    [{ op: "remove", path: "/foo/1" }],
  ],
  [
    "A.5: another value",
    { baz: "qux", foo: "bar" },
    { baz: "boo", foo: "bar" },
    [{ op: "replace", path: "/baz", value: "boo" }],
  ],
  [
    "A.10: a nested member",
    { foo: "bar" },
    { foo: "bar", child: { grandchild: {} } },
    [{ op: "add", path: "/child", value: { grandchild: {} } }],
  ],
  ["A.14: escapes", { "/": 9, "~1": 10 }, { "/": 9, "~1": 11 }, [{ op: "replace", path: "/~01", value: 11 }]],
  [
    "A.16: an array in an array",
    { foo: ["bar"] },
    { foo: ["bar", ["abc", "def"]] },
    [{ op: "add", path: "/foo/1", value: ["abc", "def"] }],
  ],
];

const pages = many(2000, (id) => `page/${id}`);

const examples: readonly Example[] = [
  ["nothing", { a: 1, b: [{}] }, { b: [{}], a: 1 }, []],
  [
    "an item before one whose keys are in another order",
    [{ a: 1, b: 2 }],
    [0, { b: 2, a: 1 }],
    [{ op: "add", path: "/0", value: 0 }],
  ],
  ["everything", [1], { 0: 1 }, [{ op: "replace", path: "", value: { 0: 1 } }]],
  ["null for no value", { a: null }, {}, [{ op: "remove", path: "/a" }]],
  [
    "a page in the middle of 2,000",
    { pages },
    { pages: pages.toSpliced(1000, 0, "new") },
    [{ op: "add", path: "/pages/1000", value: "new" }],
  ],
  ["a page less", pages, pages.toSpliced(1000, 1), [{ op: "remove", path: "/1000" }]],
  [
    "pages at places far from each other",
    pages,
    pages.toSpliced(1500, 1, "c").toSpliced(1000, 2).toSpliced(10, 0, "a"),
    [
      { op: "add", path: "/10", value: "a" },
      { op: "remove", path: "/1001" },
      { op: "remove", path: "/1001" },
      { op: "replace", path: "/1499", value: "c" },
    ],
  ],
  [
    "something in an item behind a new one",
    [{ group: "A", pages: ["a"] }, "x", { group: "B", pages: ["b"] }],
    [0, { group: "A", pages: ["a"] }, "x", { group: "B", pages: ["b", "c"] }],
    [
      { op: "add", path: "/0", value: 0 },
      { op: "add", path: "/3/pages/1", value: "c" },
    ],
  ],
  [
    "odd keys",
    parse('{"": 1, "a/b": 1, "toString": 1, "__proto__": {"a": 1}}'),
    parse('{"": 2, "m~n": 1, "constructor": 1, "__proto__": {"a": 1, "__proto__": 1}}'),
    [
      { op: "replace", path: "/", value: 2 },
      { op: "remove", path: "/a~1b" },
      { op: "remove", path: "/toString" },
      { op: "add", path: "/__proto__/__proto__", value: 1 },
      { op: "add", path: "/m~0n", value: 1 },
      { op: "add", path: "/constructor", value: 1 },
    ],
  ],
];

describe("the diff is", () => {
  test.each([...rfcExamples, ...examples])("%s", (_, from, to, patch) => {
    expect(diffJson(from, to)).toEqual(patch);
    expect(applied(from, patch)).toEqual(judged(to));
  });
});

type Pair = readonly [from: JsonValue, to: JsonValue];

/** A value below a key or in a list that a change can add, remove or modify. */
interface Part {
  readonly key: string;
  readonly values: Pair;
  readonly missing: 0 | 1 | null;
}

const key = fc.constantFrom("a", "b", "0", "", "a/b", "m~n", "~1", "__proto__", "toString");
const size = { maxLength: 6, depthIdentifier: "json" };

const { value, pair } = fc.letrec<{ value: JsonValue; pair: Pair; part: Part }>((tie) => ({
  value: fc.oneof(
    { depthIdentifier: "json", depthSize: "small" },
    fc.constantFrom<JsonValue>(null, false, 0, 1, "a", ""),
    fc.array(tie("value"), size),
    fc.array(fc.tuple(key, tie("value")), size).map((members): JsonValue => Object.fromEntries(members)),
  ),
  part: fc.record({ key, values: tie("pair"), missing: fc.constantFrom(null, null, 0, 1) }),
  pair: fc.oneof(
    { depthIdentifier: "json", depthSize: "small" },
    tie("value").map((same): Pair => [same, same]),
    fc.tuple(tie("value"), tie("value")),
    fc.array(tie("part"), size).map((parts): Pair => [listOf(parts, 0), listOf(parts, 1)]),
    fc.array(tie("part"), size).map((parts): Pair => [objectOf(parts, 0), objectOf(parts, 1)]),
  ),
}));

const anyJson = fc.jsonValue().map(copy);

describe("applying the diff to the first document yields the second:", () => {
  test.each([
    ["any documents", fc.tuple(value, value)],
    ["documents that have much in common", pair],
    ["documents with any keys and texts", fc.tuple(anyJson, anyJson)],
  ])("%s", (_, documents) => {
    fc.assert(
      fc.property(documents, ([from, to]) => {
        expect(applied(from, diffJson(from, to))).toEqual(judged(to));
        expect(diffJson(from, copy(from))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

test("the diff of a list of different items is not longer than its changes", () => {
  const change = fc.constantFrom("keep", "keep", "remove", "add");
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const items = changes.map((made, id) => ({ made, id }));
      const from = items.filter(({ made }) => made !== "add").map(({ id }) => id);
      const to = items.filter(({ made }) => made !== "remove").map(({ id }) => id);
      const patch = diffJson(from, to);
      expect(patch.length).toBeLessThanOrEqual(changes.filter((made) => made !== "keep").length);
      expect(applied(from, patch)).toEqual(to);
    }),
  );
});

describe("the diff stays correct when an exact comparison would take too long", () => {
  test("replaces items one by one when all differ", () => {
    const from = many(50_000, (id) => ({ id }));
    const patch = diffJson(
      from,
      many(50_000, (id) => ({ id: -1 - id })),
    );
    expect(patch.length).toBe(50_000);
    expect(patch.at(-1)).toEqual({ op: "replace", path: "/49999/id", value: -50_000 });
  });

  test("lists with many similar parts", () => {
    const from = many(20_000, (id) => (id * id) % 7);
    const to = many(20_000, (id) => (id * id * id) % 5);
    expect(applied(from, diffJson(from, to))).toEqual(to);
  });

  test("long equal parts found from many positions", () => {
    const equal = many(200_000, () => 0);
    const side = (name: string) => [...many(2000, (id) => `${name}${id}`), ...equal, name];
    expect(diffJson(side("a"), side("b")).length).toBe(2001);
  });

  test("replaces the whole document when a patch would be larger", () => {
    const long = (item: JsonValue) => ({ ["k".repeat(500_000)]: many(1000, () => item) });
    expect(diffJson(long(0), long(1))).toEqual([{ op: "replace", path: "", value: long(1) }]);
  });
});

/** Applies a patch with another library. */
function applied(from: JsonValue, patch: readonly JsonPatchOperation[]): unknown {
  return fastJsonPatch.applyPatch(judged(from), judged(patch), true, true, false).newDocument;
}

/** A copy without `__proto__` keys, which the other library takes for the prototype. */
function judged<Value>(document: Value): Value {
  return JSON.parse(JSON.stringify(document).replaceAll("__proto__", "own_proto"));
}

function copy(document: unknown): JsonValue {
  return JSON.parse(JSON.stringify(document));
}

function listOf(parts: readonly Part[], side: 0 | 1): JsonValue[] {
  return parts.filter(({ missing }) => missing !== side).map(({ values }) => values[side]);
}

function objectOf(parts: readonly Part[], side: 0 | 1): JsonObject {
  const present = parts.filter(({ missing }) => missing !== side);
  return Object.fromEntries(present.map((part) => [part.key, part.values[side]]));
}

function many<Item>(count: number, item: (id: number) => Item): Item[] {
  return Array.from({ length: count }, (_, id) => item(id));
}
