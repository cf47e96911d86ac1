import {
  buildSchema,
  execute,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  parse,
} from "graphql";
import { describe, expect, test } from "vitest";
import { compileOperation } from "../../src/graphql/server/operations/prepared-operation.js";
import { createSchema } from "../../src/graphql/server/schema.js";
import type { GraphqlContext } from "../../src/graphql/shared/context.js";

const SCHEMA = `
  type Query { echo(one: Outer, many: [[Outer!]], plain: Plain, by: [By!]): String }
  input By @oneOf { id: Int, name: String }
  enum Color { RED GREEN }
  input Plain { a: Int }
  input Inner { color: Color! = GREEN, size: Int = 3, tags: [String!] = ["x", "y"] }
  input Outer { name: String! = "none", inner: Inner! = {}, list: [Inner!], on: Boolean }
`;

/** The arguments that a resolver receives. */
function echoing(): GraphQLSchema {
  const schema = buildSchema(SCHEMA);
  const field = schema.getQueryType()?.getFields()["echo"];
  if (!field) throw new Error("The schema has no such field.");
  field.resolve = (_root, args) => JSON.stringify(args);
  return schema;
}

async function both(query: string, variables: Record<string, unknown>) {
  const schema = echoing();
  const document = parse(query);
  const operation = getOperationAST(document);
  const compiled = operation && compileOperation(schema, document, operation);
  if (!compiled) throw new Error("It was not compiled.");
  const context: GraphqlContext = Object.create(null);
  const interpreted = await execute({ schema, document, variableValues: variables });
  return { compiled: await compiled(undefined, context, variables), interpreted };
}

const QUERY =
  "query ($one: Outer, $many: [[Outer!]], $plain: Plain, $by: [By!]) { echo(one: $one, many: $many, plain: $plain, by: $by) }";

describe("compiled operations get the same input field defaults as graphql-js", () => {
  test.each<[string, Record<string, unknown>]>([
    ["no value", {}],
    ["null", { one: null, many: [null], plain: null }],
    ["an empty object", { one: {}, plain: {} }],
    ["nested lists, and a single item for a list", { many: [[{}, { name: "a" }], [{ inner: { size: 1 } }]] }],
    ["nested objects", { one: { inner: {}, list: [{}, { color: "RED", tags: null }] } }],
    ["null where allowed", { one: { inner: { size: null } } }],
    ["one of several fields", { by: [{ id: 1 }, { name: "n" }] }],
    ["all fields", { one: { name: "n", inner: { color: "RED", size: 9, tags: [] }, on: false } }],
  ])("%s", async (_, variables) => {
    const sent = structuredClone(variables);
    const { compiled, interpreted } = await both(QUERY, variables);
    expect(JSON.parse(JSON.stringify(compiled))).toEqual(JSON.parse(JSON.stringify(interpreted)));
    expect(interpreted.errors).toBeUndefined();
    // Idempotency compares the variables as they were sent.
    expect(variables).toEqual(sent);
  });

  test.each<[string, Record<string, unknown>]>([
    ["null where not allowed", { one: { name: null } }],
    ["a value of another type", { one: 1 }],
    ["none of several fields", { by: [{}] }],
    ["two of several fields", { by: [{ id: 1 }, { id: 1, name: "n" }] }],
    ["one of several fields and null", { by: [{ id: 1, name: null }] }],
    ["null for one of several fields", { by: { name: null } }],
    ["lists that are nested too deeply", { many: [[[[{}]]]] }],
  ])("still rejects an invalid value: %s", async (_, variables) => {
    const { compiled, interpreted } = await both(QUERY, variables);
    expect(compiled).not.toHaveProperty("data");
    expect(interpreted).not.toHaveProperty("data");
  });
});

test("no input type contains itself, which would make variable compilation recurse forever", () => {
  const containsItself = (type: GraphQLInputType, path: readonly string[] = []): boolean => {
    const named = getNamedType(type);
    if (!isInputObjectType(named)) return false;
    if (path.includes(named.name)) return true;
    const fields = Object.values(named.getFields());
    return fields.some((field) => containsItself(field.type, [...path, named.name]));
  };
  const inputs = Object.values(createSchema().getTypeMap()).filter(isInputObjectType);
  expect(inputs.length).toBeGreaterThan(10);
  expect(inputs.filter((input) => containsItself(input))).toEqual([]);
});

test("stops at arrays that are nested without end", async () => {
  let nested: unknown = {};
  for (let depth = 0; depth < 20_000; depth += 1) nested = [nested];
  const { compiled } = await both(QUERY, { many: nested });
  expect(compiled).not.toHaveProperty("data");
});
