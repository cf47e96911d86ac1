import { describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";

const graphql = useGraphql();
const OWN = `{ viewer { __typename userGroup {
  id providedId name properties version updatedAt mapping { schemaId dataSource { ... on Node { id } providedId } }
} } }`;

async function call(
  token: string,
  query: string,
  variables: object = {},
  operationName?: string,
): Promise<RestReply> {
  const headers = { authorization: `Bearer ${token}` };
  const body = { query, variables, operationName };
  return callRest(`${graphql().service.url}/graphql`, "POST", undefined, body, headers);
}

/** Checks that a column belongs to a field, by name or alias. */
function startsAt(query: string, name: string): (column: number) => boolean {
  return (column) => new RegExp(`^(?:\\w+: )?${name}\\b`).test(query.slice(column - 1));
}

async function create(providedId: string) {
  return createUserGroup(graphql(), providedId, {
    name: `The ${providedId}`,
    properties: { region: providedId },
    mapping: [entry("a", "sales")],
  });
}

describe("a user group token", () => {
  test("reads its own group's external ID, name, properties, mapping and cache fields", async () => {
    const { service, run } = graphql();
    const { token } = await create("viewer");
    const { userGroup } = await run(
      '{ userGroup(by: { providedId: "viewer" }) { id version updatedAt mapping { dataSource { id } } } }',
    );
    await create("neighbour");
    service.statements.length = 0;
    const reply = await call(token, OWN);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      data: {
        viewer: {
          __typename: "Viewer",
          userGroup: {
            ...userGroup,
            providedId: "viewer",
            name: "The viewer",
            properties: { region: "viewer" },
            mapping: [
              {
                schemaId: "a",
                dataSource: {
                  ...userGroup.mapping[0].dataSource,
                  providedId: "sales",
                },
              },
            ],
          },
        },
      },
    });
    expect(service.statements).toHaveLength(2);
  });

  test("reads its viewer as an API key does", async () => {
    const { run, account, keys } = graphql();
    const { token } = await create("both kinds");
    const fields = "id name hint environment scope createdAt expiresAt revokedAt lastUsedAt";
    const query = `{ viewer { accountName environment apiKey { ${fields} } userGroup { name } } }`;
    expect((await call(token, query)).body).toEqual({
      data: {
        viewer: {
          accountName: null,
          environment: "CUSTOMER",
          apiKey: null,
          userGroup: { name: expect.any(String) },
        },
      },
    });
    expect((await run(query, {}, keys.read)).viewer).toMatchObject({
      accountName: account.name,
      environment: "CUSTOMER",
      apiKey: { scope: "READ" },
      userGroup: null,
    });
  });

  test("reads the group of its own environment", async () => {
    const { run, keys } = graphql();
    const create = `mutation { createUserGroup(input: { providedId: "t", name: "Tester" }) { userGroup { token } } }`;
    const { createUserGroup: created } = await run(create, {}, keys.testing);
    expect((await call(created.userGroup.token, "{ viewer { userGroup { name } } }")).body).toEqual({
      data: { viewer: { userGroup: { name: "Tester" } } },
    });
  });

  test.each([
    ["UserGroup.token", "{ viewer { userGroup { name token } } }", "viewer.userGroup.token"],
    [
      "UserGroup.teamId",
      "{ me: viewer { userGroup { ...F } } } fragment F on UserGroup { id team: teamId }",
      "me.userGroup.team",
    ],
    [
      "DataSource.name",
      "{ viewer { userGroup { mapping { dataSource { ... { name } } } } } }",
      "viewer.userGroup.mapping.dataSource.name",
    ],
    ["UserGroup.environment", "{ viewer { userGroup { environment } } }", "viewer.userGroup.environment"],
    ["UserGroup.createdAt", "{ viewer { userGroup { createdAt } } }", "viewer.userGroup.createdAt"],
    [
      "DataSource.dataSourceId",
      "{ viewer { userGroup { mapping { dataSource { dataSourceId } } } } }",
      "viewer.userGroup.mapping.dataSource.dataSourceId",
    ],
    [
      "DataSource.userGroups",
      "{ viewer { userGroup { mapping { dataSource { userGroups { totalCount } } } } } }",
      "viewer.userGroup.mapping.dataSource.userGroups",
    ],
    ["Query.userGroups", "{ viewer { userGroup { name } } userGroups { totalCount } }", "userGroups"],
    ["Query.userGroup", '{ userGroup(by: { providedId: "viewer" }) { name } }', "userGroup"],
    ["Query.node", '{ node(id: "x") { id } }', "node"],
    [
      "Query.nodes",
      "query Own { viewer { userGroup { id } } } query Other { nodes(ids: []) { id } }",
      "nodes",
    ],
  ])("does not read %s", async (field, query, path) => {
    const { token } = await create(`closed ${field}`);
    const reply = await call(token, query, {}, query.startsWith("query Own") ? "Own" : undefined);
    expect(reply.status).toBe(403);
    const name = field.split(".")[1] ?? "";
    expect(reply.body).toEqual({
      errors: [
        {
          message: `This token is not allowed to read \`${field}\`.`,
          locations: [{ line: 1, column: expect.toSatisfy(startsAt(query, name)) }],
          path: path.split("."),
          extensions: { code: "FORBIDDEN", requestId: reply.headers["x-request-id"] },
        },
      ],
    });
  });

  test("runs no mutation", async () => {
    const { token } = await create("closed mutation");
    const query = 'mutation { deleteUserGroup(input: { by: { token: "x" } }) { deletedUserGroupId } }';
    expect(await call(token, query)).toMatchObject({
      status: 403,
      body: {
        errors: [
          {
            message: "This token is not allowed to run `Mutation.deleteUserGroup`.",
            locations: [{ line: 1, column: 12 }],
            path: ["deleteUserGroup"],
          },
        ],
      },
    });
  });

  test("gets the error for an unknown field before that for a forbidden one", async () => {
    const { token } = await create("misspelt");
    expect(await call(token, "{ viewer { userGroup { nmae teamId } } }")).toMatchObject({
      body: {
        errors: [
          { message: expect.stringContaining("nmae"), extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
        ],
      },
    });
  });

  test("is invalidated immediately by rotation and deletion", async () => {
    const { run } = graphql();
    const { token } = await create("cut");
    const rotate = `mutation { rotateUserGroupToken(input: { by: { token: "${token}" } }) { userGroup { token } } }`;
    const next = (await run(rotate)).rotateUserGroupToken.userGroup.token;
    const refused = await call(token, OWN);
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject({
      errors: [
        {
          message: "The user group token is unknown or was rotated.",
          extensions: { code: "UNAUTHENTICATED" },
        },
      ],
    });
    expect((await call(next, OWN)).status).toBe(200);
    await run(`mutation { deleteUserGroup(input: { by: { token: "${next}" } }) { deletedUserGroupId } }`);
    expect((await call(next, OWN)).status).toBe(401);
  });

  test("is not an API key, nor is an API key a token", async () => {
    const { call: callWithKey, keys, service } = graphql();
    const { token } = await create("confused");
    expect((await callWithKey(OWN, {}, token)).status).toBe(401);
    for (const wrong of [keys.admin, "", "ugt_nonsense", `${token}x`]) {
      expect((await call(wrong, OWN)).status).toBe(401);
    }
    const headers = { authorization: `Bearer ${token}` };
    const rest = await callRest(
      `${service.url}/api/user`,
      "GET",
      undefined,
      { user_group_id: "confused" },
      headers,
    );
    expect(rest).toMatchObject({ status: 401, body: { error: { code: "unauthenticated" } } });
  });
});
