import { describe, expect, test } from "vitest";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";

const graphql = await startGraphql();
const { front, mutate, run, service } = graphql;
const OWN = `{ viewer { __typename userGroup {
  id providedId name properties version updatedAt mapping { schemaId dataSource { ... on Node { id } providedId } }
} } }`;

const create = async (providedId: string) =>
  createUserGroup(graphql, providedId, {
    name: `The ${providedId}`,
    properties: { region: providedId },
    mapping: [entry("a", "sales")],
  });

describe("a user group token", () => {
  test("reads its own group's external ID, name, properties, mapping and cache fields", async () => {
    const { token } = await create("viewer");
    const { userGroup } = await run(
      '{ userGroup(by: { providedId: "viewer" }) { id version updatedAt mapping { dataSource { id } } } }',
    );
    await create("neighbour");
    service.statements.length = 0;
    const dataSource = { ...userGroup.mapping[0].dataSource, providedId: "sales" };
    expect(await front(token, OWN)).toMatchObject({
      status: 200,
      body: {
        data: {
          viewer: {
            __typename: "Viewer",
            userGroup: {
              ...userGroup,
              providedId: "viewer",
              name: "The viewer",
              properties: { region: "viewer" },
              mapping: [{ schemaId: "a", dataSource }],
            },
          },
        },
      },
    });
    expect(service.statements).toHaveLength(2);
  });

  test("reads a viewer without an account name and without an API key", async () => {
    const { token } = await create("viewing");
    const viewer = { accountName: null, environment: "CUSTOMER", apiKey: null };
    const query = "{ viewer { accountName environment apiKey { id } } }";
    expect((await front(token, query)).body).toEqual({ data: { viewer } });
  });

  // Which fields are refused, and that all others are read, is the table of field-scopes.test.ts.
  test.each([
    ["read", "UserGroup.token", "{ viewer { userGroup { name token } } }", "viewer.userGroup.token"],
    [
      "read",
      "UserGroup.teamId",
      "{ me: viewer { userGroup { ...F } } } fragment F on UserGroup { id team: teamId }",
      "me.userGroup.team",
    ],
    [
      "read",
      "Query.nodes",
      "query Own { viewer { userGroup { id } } } query Other { nodes(ids: []) { id } }",
      "nodes",
    ],
    [
      "run",
      "Mutation.deleteUserGroup",
      'mutation { deleteUserGroup(input: { by: { token: "x" } }) { deletedUserGroupId } }',
      "deleteUserGroup",
    ],
    [
      "read",
      "UserGroup.teamId",
      "subscription { userGroupChanged { userGroup { teamId } } }",
      "userGroupChanged.userGroup.teamId",
    ],
  ])("is not allowed to %s %s: %s", async (verb, field, query, path) => {
    const { token } = await create(`closed ${path}`);
    const reply = query.startsWith("subscription")
      ? await openEventStream(service.url, `Bearer ${token}`, query)
      : await front(token, query, {}, query.startsWith("query Own") ? "Own" : undefined);
    const name = new RegExp(`^(?:\\w+: )?${field.split(".")[1]}\\b`);
    const isAtField = (column: number) => name.test(query.slice(column - 1));
    expect([reply.status, reply.body]).toEqual([
      403,
      {
        errors: [
          {
            message: `This token is not allowed to ${verb} \`${field}\`.`,
            locations: [{ line: 1, column: expect.toSatisfy(isAtField) }],
            path: path.split("."),
            extensions: { code: "FORBIDDEN", requestId: reply.headers["x-request-id"] },
          },
        ],
      },
    ]);
  });

  test("gets the error for an unknown field before that for a forbidden one", async () => {
    const { token } = await create("misspelt");
    const extensions = { code: "GRAPHQL_VALIDATION_FAILED" };
    expect(await front(token, "{ viewer { userGroup { nmae teamId } } }")).toMatchObject({
      body: { errors: [{ message: expect.stringContaining("nmae"), extensions }] },
    });
  });

  test("is invalidated immediately by rotation and deletion", async () => {
    const { token } = await create("cut");
    const rotated = await mutate("rotateUserGroupToken", { by: { token } }, "userGroup { token }");
    const next = rotated.userGroup.token;
    const message = "The user group token is unknown or was rotated.";
    expect(await front(token, OWN)).toMatchObject({
      status: 401,
      body: { errors: [{ message, extensions: { code: "UNAUTHENTICATED" } }] },
    });
    expect((await front(next, OWN)).status).toBe(200);
    await mutate("deleteUserGroup", { by: { token: next } });
    expect((await front(next, OWN)).status).toBe(401);
  });
});
