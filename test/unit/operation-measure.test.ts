import { getOperationAST, parse } from "graphql";
import { describe, expect, test } from "vitest";
import { measureOperation } from "../../src/graphql/server/limits/operation-measure.js";
import { createSchema } from "../../src/graphql/server/schema.js";

const schema = createSchema();
const VARIABLES = { small: 3, none: null, ids: ["a", "b", "c", "d"] };
const HEAD = "query ($small: Int, $none: Int, $absent: Int, $default: Int = 7, $ids: [ID!]!)";
interface Figures {
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  readonly cost: number;
}

function measure(text: string, variables: Readonly<Record<string, unknown>> = VARIABLES): Figures {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error("There is not one operation.");
  const { cost, ...figures } = measureOperation(schema, document, operation);
  return { ...figures, cost: typeof cost === "number" ? cost : cost(variables) };
}

describe("operation measure", () => {
  test.each([
    ["{ viewer { environment } }", { depth: 2, aliases: 0, rootFields: 1, cost: 2 }],
    ["{ a: viewer { b: environment __typename } }", { depth: 2, aliases: 2, rootFields: 1, cost: 3 }],
    ["{ userGroups { nodes { name } } }", { depth: 3, cost: 2 + 20 }],
    ["{ userGroups(first: 5) { edges { cursor node { name } } } }", { depth: 4, cost: 2 + 5 * 3 }],
    ["{ userGroups(last: 6) { totalCount pageInfo { endCursor } } }", { cost: 4 }],
    ["{ userGroups(first: 0) { nodes { name } } }", { cost: 2 }],
    // Values that the resolver rejects count as the maximum.
    ["{ userGroups(first: 1000000) { nodes { name } } }", { cost: 2 + 250 }],
    ["{ userGroups(first: -1) { nodes { name } } }", { cost: 2 }],
    ["{ userGroups(first: null, last: 4) { nodes { name } } }", { cost: 2 + 4 }],
    [`${HEAD} { userGroups(first: $small) { nodes { name } } }`, { cost: 2 + 3 }],
    [`${HEAD} { userGroups(last: $default) { nodes { name } } }`, { cost: 2 + 7 }],
    [`${HEAD} { userGroups(first: $absent) { nodes { name } } }`, { cost: 2 + 20 }],
    [`${HEAD} { userGroups(first: $none, last: $small) { nodes { name } } }`, { cost: 2 + 3 }],
    [`{ userGroup(by: {}) { mapping { dataSource { name } } } }`, { depth: 4, cost: 2 + 10 * 2 }],
    ["{ userGroups(first: 3) { nodes { properties } } }", { cost: 2 + 3 * 20 }],
    [`{ nodes(ids: ["a", "b"]) { id ... on UserGroup { name } } }`, { depth: 2, cost: 1 + 2 * 2 }],
    [`{ nodes(ids: "a") { id } }`, { cost: 2 }],
    ["{ nodes(ids: []) { id } }", { cost: 1 }],
    ["{ auditDays { date changes } }", { cost: 1 + 10 * 2 }],
    // In fragments within fragments, under aliases, beside inline fragments.
    [
      `${HEAD} { a: userGroups(first: $small) { ...C } b: userGroups(last: 2) { ... { ...C } } }
        fragment C on UserGroupConnection { nodes { ...G x: properties } totalCount }
        fragment G on UserGroup { mapping { ...M ... on MappingEntry { schemaId } } }
        fragment M on MappingEntry { dataSource { userGroups(last: $default) { nodes { id } } } }`,
      { depth: 7, aliases: 4, rootFields: 2, cost: 4 + 2 + 5 * (20 + 1 + 10 * (1 + 1 + 1 + 1 + 7)) },
    ],
    [`${HEAD} { nodes(ids: $ids) { id } }`, { cost: 1 + 4 }],
    ["{ ...F ...F } fragment F on Query { a: node { id } }", { aliases: 2, rootFields: 2, cost: 4 }],
    // A fragment of a connection costs as much as the page size of its use.
    [
      "{ a: userGroups(first: 2) { ...F } b: userGroups(first: 3) { ...F } } fragment F on UserGroupConnection { nodes { name } }",
      { cost: 4 + 2 + 3 },
    ],
    ["{ __schema { types { fields { name } } } }", { depth: 1, aliases: 0, rootFields: 1, cost: 1 }],
    ["{ a: __schema { types { name } } }", { depth: 3, aliases: 1, cost: 2 + 10 }],
    [`{ __type(name: "A") { ...F } } fragment F on __Type { n: name }`, { depth: 2, aliases: 1, cost: 2 }],
    // Items below typed settings are counted when they are read.
    ["{ siteConfig { settings { navigation { group icon } versions } } }", { depth: 4, cost: 6 }],
    [
      "{ siteConfig { settings { navigation { pages { ...F } } } } } fragment F on SitePage { path }",
      { cost: 5 },
    ],
    [
      "{ siteConfigs(first: 3) { nodes { settings { navigation { pages { ... on SiteNavigationGroup { pages { __typename } } } } } } } }",
      { depth: 7, cost: 2 + 3 * 5 },
    ],
    ["{ siteConfig { report { errors { code } } } }", { cost: 3 + 10 }],
    ["mutation { deleteUserGroup(input: {}) { userErrors { code } } }", { depth: 3, cost: 2 + 10 }],
  ])("%s", (text, figures) => {
    expect(measure(text)).toMatchObject(figures);
  });

  test("is exact for doubling fragments without expanding them", () => {
    const doubled = (levels: number, last: string) =>
      `query ($n: Int) { userGroup(by: {}) { ...F0 } } ${Array.from(
        { length: levels },
        (_, level) => `fragment F${level} on UserGroup { ...F${level + 1} ...F${level + 1} }`,
      ).join(" ")} fragment F${levels} on UserGroup { ${last} }`;
    const page = "mapping { dataSource { userGroups(first: $n) { nodes { x: name } } } }";
    expect(measure(doubled(30, "x: name"))).toEqual({
      depth: 2,
      aliases: 2 ** 30,
      rootFields: 1,
      cost: 1 + 2 ** 30,
    });
    expect(measure(doubled(30, page), { n: 5 }).cost).toBe(1 + 2 ** 30 * (1 + 10 * (3 + 5)));
    for (const levels of [60, 400]) {
      const maximum = Number.MAX_SAFE_INTEGER;
      expect(measure(doubled(levels, page), { n: 5 })).toMatchObject({ aliases: maximum, cost: maximum });
      expect(measure(doubled(levels, page), { n: 0 })).toMatchObject({ aliases: maximum, cost: maximum });
    }
  });

  test("terminates for endlessly nested fragments", () => {
    const nested = (levels: number) => `{ node { ${"... {".repeat(levels)} id ${"}".repeat(levels)} } }`;
    expect(measure(nested(400)).depth).toBe(2);
    expect(measure(nested(1000)).depth).toBeGreaterThan(100);
    const hidden = `{ __schema { ${"... {".repeat(600)} a: types { name } ${"}".repeat(600)} } }`;
    expect(measure(hidden).depth).toBeGreaterThan(100);
    const chained = Array.from(
      { length: 2000 },
      (_, index) => `fragment F${index} on Query { ...F${index + 1} }`,
    );
    expect(
      measure(`{ ...F0 } ${chained.join(" ")} fragment F2000 on Query { __typename }`).depth,
    ).toBeGreaterThan(100);
  });
});
