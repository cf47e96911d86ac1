import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_VARIABLES_BYTES } from "../../src/domain/authentication/embed-session.js";
import { DomainError, MAX_FIELD_ERRORS } from "../../src/domain/shared/errors.js";
import { isStorable } from "../../src/domain/shared/text-field.js";
import { MAX_MAPPING_ENTRIES, parseMappingList } from "../../src/domain/user-groups/mapping.js";
import { EMBED_SESSION_OPERATIONS, parseEmbedSession } from "../../src/rest/embed-sessions.js";
import { parse } from "../../src/rest/fields.js";
import { parseNewUserGroup, parseProvidedId, USER_OPERATIONS } from "../../src/rest/user-groups.js";
import { OpenApiContract } from "../support/rest/openapi-contract.js";

type Members = Readonly<Record<string, unknown>>;
type Parser = (body: Members) => unknown;

const { get, put, post, delete: deletion } = USER_OPERATIONS;
const update: Parser = (body) => parse(put.request, body);
const rotate: Parser = (body) => parse(post.request, body);
const remove: Parser = (body) => parse(deletion.request, body);
const create: Parser = (body) => parseNewUserGroup(body, JSON.stringify(body));
const find: Parser = (body) => parseProvidedId(body, JSON.stringify(body));
/** GET of an existing and of a missing group. */
const getOrCreate: Parser = (body) => [find(body), create({ name: "N", ...body })];

/** The paths of all fields that a parser rejects; empty if it accepts the body. */
function refusedBy(parser: Parser, members: Members): readonly string[] {
  try {
    parser(members);
    return [];
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== "invalid_field") throw error;
    return error.fields.map(({ field }) => field.join("."));
  }
}

const AROUND_THE_LIMIT = ["x", "🙂", "é"].flatMap((unit) =>
  [1, 127, 128, 254, 255, 256, 510, 511].map((length) => unit.repeat(length)),
);
const texts = fc
  .oneof(fc.constantFrom(...AROUND_THE_LIMIT, ""), fc.string({ unit: "binary", maxLength: 5 }))
  // Strings that PostgreSQL cannot store are excluded by a `format`, which JSON Schema does not validate.
  .filter(isStorable);
const others = fc.constantFrom<unknown>(null, true, 0, 59, 60, [], {}, ["x"]);
const values: fc.Arbitrary<unknown> = fc.oneof({ weight: 3, arbitrary: texts }, others);
/** Includes keys with a meaning in JavaScript, as own properties like those of JSON.parse. */
const objects = fc
  .array(fc.tuple(fc.oneof(texts, fc.constantFrom("__proto__", "constructor", "a/b", "~1")), values), {
    maxLength: 4,
  })
  .map((entries) => Object.fromEntries(entries))
  // JSON Schema has no limits in bytes.
  .filter((object) => Buffer.byteLength(JSON.stringify(object)) <= MAX_VARIABLES_BYTES);

describe.each([
  ["get /api/user", get, getOrCreate],
  ["put /api/user", put, update],
  ["post /api/user", post, rotate],
  ["delete /api/user", deletion, remove],
  ["post /api/embed-session", EMBED_SESSION_OPERATIONS.post, parseEmbedSession],
] as const)("%s", (name, { request, requestExamples }, parser) => {
  const contract = new OpenApiContract();
  const fields = Object.keys(request.shape);
  const bodies = fc
    .record(Object.fromEntries(fields.map((field) => [field, fc.oneof(values, objects)])), {
      requiredKeys: [],
    })
    .map((body) => Object.fromEntries(Object.entries(body)));
  const expectSame = (members: Members) => {
    const refused = refusedBy(parser, members);
    expect(contract.accepts(name, members), refused.join()).toBe(refused.length === 0);
    return refused;
  };

  test("the OpenAPI document accepts exactly the bodies that the service accepts", () => {
    fc.assert(
      fc.property(bodies, (body) => void expectSame(body)),
      { numRuns: 300 },
    );
  });

  test("both accept the examples, and reject another type of each of their fields", () => {
    const examples = Object.values<readonly [Members, string]>(requestExamples);
    expect(examples.length).toBeGreaterThan(0);
    for (const [example] of examples) {
      expect(expectSame(example)).toEqual([]);
      for (const field of Object.keys(example))
        expect(expectSame({ ...example, [field]: 1 })).not.toEqual([]);
    }
  });

  test("both agree on each pair of fields that is absent, null or valid, beside the fields of each example", () => {
    const examples = Object.values<readonly [Members, string]>(requestExamples).map(([example]) => example);
    const valid: Members = Object.assign(
      Object.fromEntries(fields.map((field) => [field, "x"])),
      ...examples,
    );
    const states = (field: string): Members[] => [{}, { [field]: null }, { [field]: valid[field] }];
    const pairs = fields.flatMap((field, index) =>
      fields.slice(index + 1).map((other) => [field, other] as const),
    );
    for (const example of [{}, ...examples]) {
      for (const [field, other] of pairs) {
        const { [field]: _, [other]: __, ...rest } = example;
        for (const state of states(field))
          for (const otherState of states(other)) expectSame({ ...rest, ...state, ...otherState });
      }
    }
  });
});

test("reports at most 100 mapping entries, and only the size of a mapping with too many", () => {
  const mapping = (entries: number) =>
    Object.fromEntries(Array.from({ length: entries }, (_, index) => [`s${index}`, 1]));
  const refused = refusedBy(update, { user_group_id: "x", mapping: mapping(MAX_MAPPING_ENTRIES) });
  expect(refused).toEqual(Array.from({ length: MAX_FIELD_ERRORS }, (_, index) => `mapping.s${index}`));
  const wide = { name: "N", mapping: mapping(MAX_MAPPING_ENTRIES + 1) };
  expect(refusedBy(create, wide)).toEqual(["mapping"]);
});

test("parses a mapping in the same way for both APIs", () => {
  fc.assert(
    fc.property(objects, (mapping) => {
      const list = Object.entries(mapping).map(([schemaId, dataSource]) => ({ schemaId, dataSource }));
      const listed = refusedBy(() => parseMappingList(list, ["mapping"]), {});
      const schemas = listed.map((path) => `mapping.${list[Number(path.split(".")[1])]?.schemaId}`);
      expect(refusedBy(create, { name: "N", mapping })).toEqual([...new Set(schemas)]);
    }),
  );
});

test("does not coerce, default, strip or inherit values", () => {
  const members = Object.freeze({ user_group_id: "x", extra: Object.freeze({ a: 1 }), properties: null });
  expect(update(members)).toEqual({ user_group_id: "x", properties: null });
  expect(members).toEqual({ user_group_id: "x", extra: { a: 1 }, properties: null });
  const inherited = JSON.parse('{"__proto__": {"user_group_id": "x"}}');
  expect(refusedBy(find, inherited)).toEqual(["user_group_id"]);
});
