import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { refused } from "../../support/graphql/graphql-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { ROTATE, UPDATE } from "../../support/graphql/user-group-operations.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";

const graphql = await startGraphql();
const { send, service } = graphql;
const hidden = await startGraphql({ introspection: false });
const PREFLIGHT = { "apollo-require-preflight": "true" };

const errorsOf = ({ body }: RestReply) => Object(body).errors;

describe("many invalid variables", () => {
  const query = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }";
  const variables = { ids: Array.from({ length: 60 }, () => ({})) };

  test("are client errors and not logged as internal errors", async () => {
    for (const [accept, status] of [
      ["application/json", 200],
      ["application/graphql-response+json", 400],
    ] as const) {
      const reply = await send({ query, variables }, undefined, { accept });
      expect(reply.status).toBe(status);
      expect(errorsOf(reply)).toHaveLength(51);
      for (const error of errorsOf(reply)) expect(error.extensions.code).toBe("BAD_USER_INPUT");
      expect(errorsOf(reply).at(-1).message).toContain("Too many errors");
    }
    expect(service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test("are the same for a mutation with an Idempotency-Key", async () => {
    const body = { query: UPDATE, variables: { input: { by: { teamId: "x" } } } };
    const reply = await graphql.send(body, undefined, {
      "idempotency-key": randomUUID(),
      accept: "application/graphql-response+json",
    });
    expect(reply).toMatchObject(refused(400, "BAD_USER_INPUT"));
    expect(reply.body).not.toHaveProperty("data");
  });
});

describe("a misspelled name", () => {
  const cases: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[] = [
    ["a field", "{ viewer { environmnt } }", {}],
    ["an argument", '{ userGroup(bi: { id: "x" }) { name } }', {}],
    ["a type", "{ viewer { ... on Viewr { environment } } }", {}],
    ["an input field of a literal", '{ userGroup(by: { providedIdd: "x" }) { name } }', {}],
    [
      "an input field of a variable",
      "query ($by: UserGroupBy!) { userGroup(by: $by) { name } }",
      { by: { providedIdd: "x" } },
    ],
    [
      "an enum value of a variable",
      "query ($o: UserGroupOrder) { userGroups(orderBy: $o) { totalCount } }",
      { o: { field: "NAMEE", direction: "ASC" } },
    ],
  ];
  const subscriptions: typeof cases = [
    ["a field", "subscription { userGroupChangd { kind } }", {}],
    [
      "an input field of a variable",
      "subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind } }",
      { by: { providedIdd: "x" } },
    ],
  ];

  test.each(cases)("gets a suggestion only where the schema can be read: %s", async (_, query, variables) => {
    const [shown] = errorsOf(await graphql.call(query, variables));
    expect(shown.message).toContain("Did you mean");
    const [concealed] = errorsOf(await hidden.call(query, variables));
    expect(concealed.extensions.code).toBe(shown.extensions.code);
    expect(concealed.message).not.toContain("Did you mean");
  });

  test.each(subscriptions)("gets the same over event streams: %s", async (_, query, variables) => {
    const open = async ({ service, keys }: typeof graphql) =>
      openEventStream(service.url, `Token ${keys.admin}`, query, variables);
    const withMessage = (message: unknown) => ({
      status: 400,
      body: { errors: [{ message, extensions: { code: "BAD_REQUEST" } }] },
    });
    expect(await open(graphql)).toMatchObject(withMessage(expect.stringContaining("Did you mean")));
    expect(await open(hidden)).toMatchObject(withMessage(expect.not.stringContaining("Did you mean")));
  });

  test("introspection is rejected there", async () => {
    for (const key of [null, undefined]) {
      const reply = await hidden.call("{ __schema { queryType { name } } }", {}, key);
      expect(errorsOf(reply)).toMatchObject([
        { message: "Introspection is disabled.", extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
      ]);
      expect(reply.body).not.toHaveProperty("data");
    }
  });
});

// That every path refuses other methods is tested in every-path.test.ts.
test("405 names the allowed methods, also for a mutation by GET", async () => {
  const notAllowed = (allow: string) => ({ ...refused(405, "METHOD_NOT_ALLOWED"), headers: { allow } });
  const url = `${graphql.service.url}/graphql`;
  for (const key of [graphql.keys.admin, undefined, "wrong"]) {
    const reply = await callRest(url, "PATCH", key, { query: "{ __typename }" });
    expect(reply).toMatchObject(notAllowed("GET, POST"));
    expect(errorsOf(reply)[0].message).toBe("PATCH is not allowed on this path. Use GET, POST.");
  }
  const search = new URLSearchParams({ query: ROTATE, variables: '{"input":{"by":{"token":"x"}}}' });
  expect(await callRest(`${url}?${search}`, "GET", graphql.keys.admin, undefined, PREFLIGHT)).toMatchObject(
    notAllowed("POST"),
  );
});
