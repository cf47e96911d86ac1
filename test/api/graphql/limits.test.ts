import { describe, expect, test } from "vitest";
import { INTROSPECTION, refused, times } from "../../support/graphql/graphql-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";

const graphql = await startGraphql();
const { call, send } = graphql;
const LEAST = { depth: 2, aliases: 0, rootFields: 1, tokens: 6, cost: 2 };
const strict = await startGraphql({ limits: LEAST });
const lenientOnTokens = await startGraphql({ limits: { ...LEAST, tokens: 4000 } });

/** Twelve levels with a leaf such as `name`. */
const levels = (leaf: string) => `{
  userGroup(by: { providedId: "x" }) { mapping { dataSource {
    userGroups(first: 1) { nodes { mapping { dataSource {
      userGroups(first: 1) { nodes { mapping { dataSource { ${leaf} } } } }
    } } } }
  } } }
}`;
const aliases = (count: number) => `{ viewer { ${times(count, (index) => `a${index}: environment`)} } }`;
const rootFields = (count: number) => `{ ${times(count, () => "viewer { environment }")} }`;
/** That many tokens; the resolver rejects the operation, since `ids` has too many. */
const tokens = (count: number) => `{ nodes(ids: [${times(count - 12, () => '"x"')}]) { id } }`;
/** 2 + 58 × (3 + 214 × 2) = 25,000 for the page size 58. */
const cost = (first: string, head = "") =>
  `${head} { dataSources(first: ${first}) { nodes { userGroups(first: 214) { totalCount nodes { id name } } } } }`;

function refusal(code: string, message: string, limit: number, actual?: number) {
  const figures = actual === undefined ? { limit } : { limit, actual };
  return {
    status: 400,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: { errors: [{ message, extensions: { ...figures, code, requestId: expect.any(String) } }] },
  };
}

describe("an operation at a limit runs, one above it is rejected:", () => {
  test("depth", async () => {
    expect(await call(levels("name"))).toMatchObject({ status: 200, body: { data: { userGroup: null } } });
    const { body, ...reply } = await call(levels("userGroups { totalCount }"));
    expect({ ...reply, body }).toMatchObject(
      refusal("QUERY_TOO_DEEP", "The query is 13 levels deep; at most 12 are allowed.", 12, 13),
    );
    expect(body).not.toHaveProperty("data");
  });

  test("aliases", async () => {
    expect((await call(aliases(60))).status).toBe(200);
    expect(await call(aliases(61))).toMatchObject(
      refusal("TOO_MANY_ALIASES", "The query has 61 aliases; at most 60 are allowed.", 60, 61),
    );
    const twice = (count: number) =>
      `{ viewer { ...F ... { ...F } } } fragment F on Viewer { ${times(count, (index) => `a${index}: environment`)} }`;
    expect((await call(twice(30))).status).toBe(200);
    expect(await call(twice(31))).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { actual: 62 } }] },
    });
  });

  test("root fields", async () => {
    expect((await call(rootFields(60))).status).toBe(200);
    expect(await call(rootFields(61))).toMatchObject(
      refusal("TOO_MANY_ROOT_FIELDS", "The query has 61 root fields; at most 60 are allowed.", 60, 61),
    );
    const hidden = `{ ${times(31, () => "...F")} } fragment F on Query { viewer { environment } __typename }`;
    expect(await call(hidden)).toMatchObject({ body: { errors: [{ extensions: { actual: 62 } }] } });
  });

  test("tokens, before parsing", async () => {
    expect(await call(tokens(4000))).toMatchObject(refused(400, "INVALID_FIELD", { field: ["ids"] }));
    const tooExpensive = refusal("TOO_MANY_TOKENS", "The query has more than 4000 tokens.", 4000);
    expect(await call(tokens(4001))).toMatchObject(tooExpensive);
    expect(await call(`{ viewer ${"{".repeat(5000)}`)).toMatchObject(tooExpensive);
    // Comments and commas are not tokens.
    expect((await call(`{ viewer { environment${",".repeat(5000)} } } #${"x ".repeat(5000)}`)).status).toBe(
      200,
    );
    expect((await strict.call("{ viewer { environment } }")).status).toBe(200);
    expect(await strict.call("{ viewer { environment environment } }")).toMatchObject(
      refused(400, "TOO_MANY_TOKENS", { limit: 6 }),
    );
  });

  test("cost, with page sizes as literals, variables or variable defaults", async () => {
    const head = "query ($n: Int = 59)";
    expect((await call(cost("58"))).status).toBe(200);
    expect((await call(cost("$n", head), { n: 58 })).status).toBe(200);
    const tooExpensive = refusal(
      "QUERY_TOO_EXPENSIVE",
      "The query costs 25431; at most 25000 are allowed.",
      25_000,
      25_431,
    );
    expect(await call(cost("59"))).toMatchObject(tooExpensive);
    expect(await call(cost("$n", head), { n: 59 })).toMatchObject(tooExpensive);
    expect(await call(cost("$n", head))).toMatchObject(tooExpensive);
    // The same document again, once it is cached.
    expect((await call(cost("$n", head), { n: 58 })).status).toBe(200);
  });
});

test("counts only the selected operation", async () => {
  const query = `query Small { viewer { environment } } query Deep ${levels("userGroups { totalCount }")}`;
  const call = (operationName: string) => send({ query, operationName });
  expect((await call("Small")).status).toBe(200);
  expect(await call("Deep")).toMatchObject(refused(400, "QUERY_TOO_DEEP"));
  expect(await call("None")).toMatchObject(refused(400, "OPERATION_RESOLUTION_FAILURE"));
});

describe("introspection", () => {
  test("by common tools passes all limits except the token limit", async () => {
    for (const { call } of [graphql, lenientOnTokens]) {
      expect(await call(INTROSPECTION, {}, null)).toMatchObject({
        status: 200,
        body: { data: { __schema: { queryType: { name: "Query" } } } },
      });
      expect(
        (await call('{ __type(name: "UserGroup") { fields { type { ofType { name } } } } }')).status,
      ).toBe(200);
    }
  });

  test("multiplied by aliases counts like other fields", async () => {
    const multiplied = (by: number) => `
      { __schema { types { ${times(by, (index) => `a${index}: fields { type { ...F } }`)} } } }
      fragment F on __Type { ${times(by, (index) => `b${index}: fields { name }`)} }`;
    expect((await call(multiplied(2))).status).toBe(200);
    expect(await call(multiplied(7))).toMatchObject(refused(400, "QUERY_TOO_EXPENSIVE", { actual: 54_672 }));
    expect(await call(multiplied(8))).toMatchObject(refused(400, "TOO_MANY_ALIASES", { actual: 8 + 8 * 8 }));
  });
});

test("accepts bodies up to 4 MiB", async () => {
  const query = (size: number) => `{ viewer { environment } } #${"x".repeat(size)}`;
  const largest = 4 * 1_048_576 - JSON.stringify({ query: query(0), variables: {} }).length;
  expect((await call(query(largest))).status).toBe(200);
  expect(await call(query(largest + 1))).toMatchObject(refused(413, "PAYLOAD_TOO_LARGE"));
});
