import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DomainError, MAX_FIELD_ERRORS } from "../../src/domain/shared/errors.js";
import { isStorable } from "../../src/domain/shared/text-field.js";
import { MAX_MAPPING_ENTRIES, parseMappingList } from "../../src/domain/user-groups/mapping.js";
import {
  parseDeletion,
  parseNewUserGroup,
  parseProvidedId,
  parseRotation,
  parseUpdate,
  type RequestBody,
} from "../../src/rest/request-parsing.js";
import { OpenApiContract } from "../support/rest/openapi-contract.js";

type Members = Readonly<Record<string, unknown>>;

function bodyOf(members: Members): RequestBody {
  return { members, text: JSON.stringify(members) };
}

/** The paths of all fields that a parser rejects; empty if it accepts the body. */
function refusedBy(parse: (body: RequestBody) => unknown, members: Members): readonly string[] {
  return (errorOf(parse, members)?.fields ?? []).map(({ field }) => field.join("."));
}

function errorOf(parse: (body: RequestBody) => unknown, members: Members): DomainError | undefined {
  try {
    parse(bodyOf(members));
    return undefined;
  } catch (error) {
    if (error instanceof DomainError && error.code === "invalid_field") return error;
    throw error;
  }
}

const rotation = (body: RequestBody) => parseRotation(body, undefined);

const AROUND_THE_LIMIT = ["x", "🙂", "é"].flatMap((unit) =>
  [1, 127, 128, 254, 255, 256, 510, 511].map((length) => unit.repeat(length)),
);
const texts = fc
  .oneof(fc.constantFrom(...AROUND_THE_LIMIT, ""), fc.string({ unit: "binary", maxLength: 5 }))
  // Strings that PostgreSQL cannot store are excluded by a `format`, which JSON Schema does not validate.
  .filter(isStorable);
const others = fc.constantFrom<unknown>(null, true, 0, [], {}, ["x"]);
const values: fc.Arbitrary<unknown> = fc.oneof({ weight: 3, arbitrary: texts }, others);
/** Includes keys with a meaning in JavaScript, as own properties like those of JSON.parse. */
const objects = fc
  .array(fc.tuple(fc.oneof(texts, fc.constantFrom("__proto__", "constructor", "a/b", "~1")), values), {
    maxLength: 4,
  })
  .map((entries) => Object.fromEntries(entries));

const FIELDS = ["user_group_id", "name", "properties", "mapping", "current_token", "data_source_provided_id"];
const bodies = fc
  .record(Object.fromEntries(FIELDS.map((field) => [field, fc.oneof(values, objects)])), { requiredKeys: [] })
  .map((body) => Object.fromEntries(Object.entries(body)));

describe("the OpenAPI document accepts exactly the bodies that the service accepts", () => {
  const contract = new OpenApiContract();

  test.each([
    ["put", parseUpdate],
    ["post", rotation],
    ["delete", parseDeletion],
  ] as const)("%s", (method, parse) => {
    fc.assert(
      fc.property(bodies, (members) => {
        const refused = refusedBy(parse, members);
        expect(contract.accepts(`${method} /api/user`, members), refused.join()).toBe(refused.length === 0);
      }),
      { numRuns: 300 },
    );
  });

  test("get, for an existing and a missing group", () => {
    fc.assert(
      fc.property(bodies, (members) => {
        const accepted = contract.accepts("get /api/user", members);
        const named = { name: "N", ...members };
        const refused = [...refusedBy(parseProvidedId, members), ...refusedBy(parseNewUserGroup, named)];
        expect(accepted, refused.join()).toBe(refused.length === 0);
      }),
      { numRuns: 300 },
    );
  });
});

describe("every invalid field is reported, in parameter order", () => {
  const everything = { properties: 1, mapping: 1, name: 1, user_group_id: 1 };
  test.each<readonly [string, (body: RequestBody) => unknown, Members, readonly string[]]>([
    ["GET", parseProvidedId, everything, ["providedId", "name", "properties", "mapping"]],
    ["GET", parseProvidedId, { name: 1 }, ["providedId", "name"]],
    ["GET", parseProvidedId, {}, ["providedId"]],
    ["GET of a new group", parseNewUserGroup, everything, ["name", "properties", "mapping"]],
    ["GET of a new group", parseNewUserGroup, { mapping: [] }, ["name", "mapping"]],
    [
      "GET of a new group",
      parseNewUserGroup,
      { name: "N", properties: 5, mapping: { a: 1, "": "x", c: 2 } },
      ["properties", "mapping.a", "mapping.", "mapping.c"],
    ],
    ["PUT", parseUpdate, everything, ["providedId", "name", "properties", "mapping"]],
    ["PUT", parseUpdate, { user_group_id: "x", name: null, mapping: { a: "" } }, ["name", "mapping.a"]],
    ["POST", rotation, { current_token: 1 }, ["currentToken"]],
    ["POST with a header", (body) => parseRotation(body, ""), {}, ["Idempotency-Key", "currentToken"]],
    [
      "DELETE",
      parseDeletion,
      { user_group_id: 1, data_source_provided_id: "" },
      ["currentToken", "providedId", "dataSourceProvidedId"],
    ],
  ])("%s %j", (_, parse, members, fields) => {
    expect(refusedBy(parse, members)).toEqual(fields);
  });

  test("the error's message describes the first one", () => {
    expect(errorOf(parseUpdate, { user_group_id: "x", name: "", mapping: 1 })).toMatchObject({
      field: ["name"],
      message: "must not be empty",
      fields: [
        { field: ["name"], message: "must not be empty" },
        { field: ["mapping"], message: "must be a JSON object or null" },
      ],
    });
  });

  test("reports at most 100 mapping entries", () => {
    const mapping = Object.fromEntries(
      Array.from({ length: MAX_MAPPING_ENTRIES }, (_, index) => [`s${index}`, 1]),
    );
    const refused = refusedBy(parseUpdate, { user_group_id: "x", mapping });
    expect(refused).toEqual(Array.from({ length: MAX_FIELD_ERRORS }, (_, index) => `mapping.s${index}`));
  });

  test("reports only the size of a mapping with too many entries", () => {
    const names = Array.from({ length: MAX_MAPPING_ENTRIES + 1 }, (_, index) => [`schema ${index}`, index]);
    expect(errorOf(parseNewUserGroup, { name: "N", mapping: Object.fromEntries(names) })).toMatchObject({
      fields: [{ field: ["mapping"], message: "must have at most 1000 entries" }],
    });
  });
});

test("parses a mapping in the same way for both APIs", () => {
  fc.assert(
    fc.property(objects, (mapping) => {
      const list = Object.entries(mapping).map(([schemaId, dataSource]) => ({ schemaId, dataSource }));
      const listed = refusedBy(() => parseMappingList(list, ["mapping"]), {});
      const schemas = listed.map((path) => `mapping.${list[Number(path.split(".")[1])]?.schemaId}`);
      expect(refusedBy(parseNewUserGroup, { name: "N", mapping })).toEqual([...new Set(schemas)]);
    }),
  );
});

test("does not coerce, default, strip or inherit values", () => {
  const members = Object.freeze({ user_group_id: "x", extra: Object.freeze({ a: 1 }), properties: null });
  expect(parseUpdate(bodyOf(members))).toEqual({ providedId: "x", changes: { properties: null } });
  expect(members).toEqual({ user_group_id: "x", extra: { a: 1 }, properties: null });
  const inherited = JSON.parse('{"__proto__": {"user_group_id": "x"}}');
  expect(refusedBy(parseProvidedId, inherited)).toEqual(["providedId"]);
});
