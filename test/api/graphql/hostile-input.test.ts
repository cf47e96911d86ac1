import fc from "fast-check";
import {
  buildSchema,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import { beforeAll, expect, test } from "vitest";
import { isObject } from "../../../src/domain/shared/json.js";
import { printSdl } from "../../../src/graphql/server/schema.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import {
  expectHarmless,
  hostileJson,
  hostileObject,
  hostileText,
  maybeInvalidSiteConfig,
} from "../../support/rest/hostile-json.js";
import type { RestReply } from "../../support/rest/rest-client.js";

const { run, send, service } = await startGraphql();
const mutations = Object.values(buildSchema(printSdl()).getMutationType()?.getFields() ?? {}).map(
  ({ name, args }) => {
    const input = args[0]?.type;
    if (!input) throw new Error(`${name} has no input.`);
    return { name, input, type: String(input) };
  },
);
const INTEGERS = ["0", "-1", "1", "2147483648", "1e999", "1.5", '"1"'];
/** Maximum depth of a literal; deeper levels are omitted. */
const LITERAL_DEPTH = 300;

beforeAll(async () => {
  const create = `mutation { createUserGroup(input: { providedId: "kept", name: "Kept" }) { userErrors { code } } }`;
  expect(await run(create)).toEqual({ createUserGroup: { userErrors: [] } });
});

/** JSON text for a type of the schema, with hostile text and hostile JSON. */
function hostileInput(type: GraphQLInputType): fc.Arbitrary<string> {
  if (isNonNullType(type)) return hostileInput(type.ofType);
  if (isListType(type)) {
    return fc.array(hostileInput(type.ofType), { maxLength: 2 }).map((items) => `[${items.join()}]`);
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field): [string, fc.Arbitrary<string>] => [
      field.name,
      hostileInput(field.type),
    ]);
    return hostileObject(Object.fromEntries(fields));
  }
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => JSON.stringify(name)));
  switch (type.name) {
    case "JSON":
      return hostileJson;
    case "Int":
      return fc.constantFrom(...INTEGERS);
    case "Boolean":
      return fc.constantFrom("true", "false");
    default:
      return fc.oneof(hostileText, fc.constant("kept")).map((text) => JSON.stringify(text));
  }
}

/** Checks that a reply is valid GraphQL and not an internal error. @returns whether the mutation was rejected */
function isRefusal({ status, body, headers }: RestReply): boolean {
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  expect([200, 400, 404, 409, 413, 422]).toContain(status);
  const { data, errors } = Object(body);
  if (errors === undefined) {
    return Object.values(Object(data)).some((payload) => Object(payload).userErrors?.length > 0);
  }
  for (const { message, extensions } of errors) {
    expect(message).toEqual(expect.any(String));
    expect(extensions.code).not.toBe("INTERNAL");
    expect(extensions.code).not.toBe("INTERNAL_SERVER_ERROR");
    expect(extensions.code).toMatch(/^[A-Z_]+$/);
    // Requests that Apollo Server rejects before execution have the ID in the header only.
    if (extensions.requestId === undefined) expect(extensions.code).toBe("BAD_REQUEST");
    else expect(extensions.requestId).toBe(headers["x-request-id"]);
  }
  return true;
}

const expectHarmlessRequests = (bodies: fc.Arbitrary<string>, numRuns: number) =>
  expectHarmless(service, bodies, numRuns, async (body) => isRefusal(await send(body)));

test("covers every mutation", () => {
  expect(mutations.length).toBeGreaterThan(15);
});

test.each(mutations)("$name with hostile variables", async ({ name, input, type }) => {
  const query = `mutation ($input: ${type}) { ${name}(input: $input) { userErrors { code message field } } }`;
  const start = `{"query":${JSON.stringify(query)},"variables":{"input":`;
  await expectHarmlessRequests(
    maybeInvalidSiteConfig(hostileInput(input)).map((value) => `${start}${value}}}`),
    15,
  );
});

test.each(mutations)("$name with hostile literals", async ({ name, input }) => {
  const bodies = maybeInvalidSiteConfig(
    hostileInput(input).map((value) => {
      const literal = toLiteral(JSON.parse(value), LITERAL_DEPTH);
      return `mutation { ${name}(input: ${literal}) { userErrors { code message field } } }`;
    }),
  ).map((query) => JSON.stringify({ query }));
  await expectHarmlessRequests(bodies, 15);
});

test("request parameters with hostile values", async () => {
  const query = fc.constant(JSON.stringify("{ viewer { environment } }"));
  const empty = fc.constant("{}");
  const request = hostileObject({ query, variables: empty, operationName: hostileJson, extensions: empty });
  await expectHarmlessRequests(maybeInvalidSiteConfig(request), 75);
});

test("treats keys with a meaning in JavaScript as data, in variables and literals", async () => {
  const properties = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"x"}';
  const query = `mutation ($input: CreateUserGroupInput!) { createUserGroup(input: $input) { userGroup { properties } } }`;
  const input = JSON.parse(`{"providedId":"keys","name":"K","properties":${properties}}`);
  expect(JSON.stringify(await run(query, { input }))).toContain(properties);
  const literal = toLiteral(JSON.parse(properties), LITERAL_DEPTH);
  const update = `mutation { updateUserGroup(input: { by: { providedId: "keys" }, properties: ${literal} }) { userGroup { properties } } }`;
  expect(JSON.stringify(await run(update))).toContain(properties);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

test("logs none of this as an internal error", () => {
  expect(service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
});

/** A JSON value as a GraphQL literal, in which keys must be names. */
function toLiteral(value: unknown, depth: number): string {
  if (depth === 0) return "null";
  if (Array.isArray(value)) return `[${value.map((item) => toLiteral(item, depth - 1)).join()}]`;
  if (!isObject(value)) return value === Number.POSITIVE_INFINITY ? "1e999" : JSON.stringify(value);
  const fields = Object.entries(value).filter(([key]) => /^[A-Za-z_]\w*$/.test(key));
  return `{${fields.map(([key, child]) => `${key}: ${toLiteral(child, depth - 1)}`).join()}}`;
}
