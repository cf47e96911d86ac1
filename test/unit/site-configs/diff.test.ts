import fc from "fast-check";
import fastJsonPatch from "fast-json-patch";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/domain/shared/json.js";
import { diffJson, type JsonPatchOperation } from "../../../src/domain/site-configs/json-diff.js";

const examples: readonly (readonly [
  what: string,
  from: JsonObject,
  to: JsonObject,
  patch: readonly JsonPatchOperation[],
])[] = [
  ["nothing", { a: 1, b: [{}] }, { b: [{}], a: 1 }, []],
  ["a member", { foo: "bar" }, { baz: "qux", foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }]],
  ["no member", { baz: "qux", foo: "bar" }, { foo: "bar" }, [{ op: "remove", path: "/baz" }]],
  ["null for no value", { a: null }, {}, [{ op: "remove", path: "/a" }]],
  ["another type", { a: [1] }, { a: { 0: 1 } }, [{ op: "replace", path: "/a", value: { 0: 1 } }]],
];

describe("the diff is", () => {
  test.each(examples)("%s", (_, from, to, patch) => {
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
    ["any values", fc.tuple(value, value)],
    ["values that have much in common", pair],
    ["values with any keys and texts", fc.tuple(anyJson, anyJson)],
  ])("%s", (_, documents) => {
    fc.assert(
      fc.property(documents, (values) => {
        const [from, to] = [{ value: values[0] }, { value: values[1] }];
        expect(applied(from, diffJson(from, to))).toEqual(judged(to));
        expect(diffJson(from, { value: copy(values[0]) })).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

test("one operation replaces the document if the paths would be longer than any document", () => {
  const long = (item: number) => ({ ["k".repeat(1_000)]: Array.from({ length: 300 }, () => item) });
  expect(diffJson(long(0), long(1))).toEqual([{ op: "replace", path: "", value: long(1) }]);
});

/** Applies a patch. */
function applied(from: JsonObject, patch: readonly JsonPatchOperation[]): unknown {
  return fastJsonPatch.applyPatch(judged(from), judged(patch), true, true, false).newDocument;
}

/** A copy without `__proto__` keys, which the library takes for the prototype. */
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
