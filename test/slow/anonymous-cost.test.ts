import { getIntrospectionQuery } from "graphql";
import { request } from "undici";
import { describe, expect, test } from "vitest";
import { useGraphql } from "../support/graphql/graphql-fixture.js";

const graphql = useGraphql();
/** In units of a standard introspection, which takes 12 ms of CPU on a machine where the limit is 30 ms. */
const MAX_CPU = 2.5;
const RUNS = 5;

const INTROSPECTION = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});
const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(" ");
const repeat = (count: number) => `{ ${times(count, () => "userGroups { nodes { name } }")} }`;
const repeated = repeat(560);
/** The maximum for a subscription document. */
const fewerRepeated = repeat(500);

const FOUR_MIB = Buffer.alloc(4 * 1024 * 1024, "x");

let sent = 0;

/** Sends a document, which no cache knows, or a whole body without credentials. @returns the status; the reply is not parsed */
async function burn(query: string | Buffer, variables: object = {}, accept = "*/*"): Promise<number> {
  const isBody = Buffer.isBuffer(query) || query.startsWith('{"');
  sent += 1;
  const reply = await request(`${graphql().service.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", accept },
    body: isBody ? query : JSON.stringify({ query: `${query} #${sent}`, variables }),
  });
  await reply.body.dump();
  return reply.statusCode;
}

/** The minimum CPU time of several runs, to exclude other programs' influence. */
async function minCpu(status: number, run: () => Promise<number>): Promise<number> {
  let minimum = Number.POSITIVE_INFINITY;
  for (let time = 0; time < RUNS; time += 1) {
    const before = process.cpuUsage();
    expect(await run()).toBe(status);
    const { user, system } = process.cpuUsage(before);
    minimum = Math.min(minimum, (user + system) / 1000);
  }
  return minimum;
}

const TYPE = "kind name description specifiedByURL isOneOf";
const ofType = (levels: number): string => (levels === 0 ? TYPE : `${TYPE} ofType { ${ofType(levels - 1)} }`);
const value = `name description defaultValue isDeprecated deprecationReason type { ${ofType(7)} }`;

describe("a request without credentials takes hardly more CPU than an introspection:", () => {
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  test.each<[string, number, () => Promise<number>]>([
    ["fields that overlap", 400, () => burn(repeated)],
    [
      "fields of introspection that overlap",
      200,
      () => burn(`{ __schema { ${times(495, () => "__typename")} } }`),
    ],
    [
      "fields of introspection that overlap, with fields below",
      200,
      () => burn(`{ __schema { types { ${times(120, () => "fields { name }")} } } }`),
    ],
    [
      "fragments that overlap",
      200,
      () =>
        burn(
          `{ viewer { ${times(55, (i) => `...F${i}`)} } } ${times(55, (i) => `fragment F${i} on Viewer { environment }`)}`,
        ),
    ],
    ["430 fragments", 400, () => burn(times(430, (i) => `fragment F${i} on Viewer { environment }`))],
    ["unknown fields", 200, () => burn(`{ __schema { ${times(490, (i) => `typez${i}`)} } }`)],
    [
      "as large an introspection as may be",
      200,
      () =>
        burn(
          `{ __schema { types { ${TYPE}
            fields(includeDeprecated: true) { name description isDeprecated deprecationReason
              args(includeDeprecated: true) { ${value} } type { ${ofType(7)} } }
            inputFields(includeDeprecated: true) { ${value} }
            enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
            interfaces { ${TYPE} } possibleTypes { ${TYPE} } } } }`,
        ),
    ],
    [
      "variables of a nested list",
      200,
      () => burn("query ($n: String!) { __type(name: $n) { name } }", JSON.parse(`{"n":${deep(900)}}`)),
    ],
    ["a body of nested lists", 400, () => burn(`{"query":"{__typename}","variables":{"n":${deep(32_000)}}}`)],
    ["a document of comments", 200, () => burn(`{ __typename } #${"x".repeat(60_000)}`)],
    ["4 MiB", 413, () => burn(FOUR_MIB)],
    ["an event stream of overlapping fields", 400, () => burn(fewerRepeated, {}, "text/event-stream")],
    ["an event stream with a long document", 400, () => burn(repeated, {}, "text/event-stream")],
  ])("%s", async (_, status, run) => {
    const introspection = await minCpu(200, () => burn(INTROSPECTION));
    expect(await minCpu(status, run)).toBeLessThan(MAX_CPU * introspection);
  });
});

test("an authenticated document is rejected before a validation that would take long", async () => {
  const { call } = graphql();
  const repetitions = (count: number) =>
    `{ nothing viewer { userGroup { ${times(count, () => "mapping { schemaId }")} } } } # ${Math.random()}`;
  const figures = { limit: 800, actual: 801 };
  expect(await call(repetitions(399))).toMatchObject({
    status: 400,
    body: { errors: [{ extensions: { code: "QUERY_TOO_EXPENSIVE", ...figures } }] },
  });
  expect(await call(repetitions(398))).toMatchObject({
    body: { errors: [{ message: 'Cannot query field "nothing" on type "Query".' }] },
  });
});
