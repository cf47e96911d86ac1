import { describe, expect, test } from "vitest";
import { useGraphql } from "./support/graphql-fixture.js";
import { callRest, type RestReply } from "./support/rest-client.js";
import { createUserGroup, entry } from "./support/user-group-operations.js";

const graphql = useGraphql();
const OWN = `{ viewer { __typename userGroup {
  name properties mapping { schemaId dataSource { providedId name } }
} } }`;

async function call(token: string, query: string, variables: object = {}): Promise<RestReply> {
  const headers = { authorization: `Bearer ${token}` };
  return callRest(`${graphql().service.url}/graphql`, "POST", undefined, { query, variables }, headers);
}

async function create(providedId: string) {
  return createUserGroup(graphql(), providedId, {
    name: `The ${providedId}`,
    properties: { region: providedId },
    mapping: [entry("a", "sales")],
  });
}

describe("a user group token", () => {
  test("reads its own group's name, properties and mapping", async () => {
    const { service } = graphql();
    const { token } = await create("viewer");
    await create("neighbour");
    service.statements.length = 0;
    const reply = await call(token, OWN);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      data: {
        viewer: {
          __typename: "Viewer",
          userGroup: {
            name: "The viewer",
            properties: { region: "viewer" },
            mapping: [{ schemaId: "a", dataSource: { providedId: "sales", name: "Sales database" } }],
          },
        },
      },
    });
    expect(service.statements).toHaveLength(2);
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
    ["Viewer.accountName", "{ viewer { accountName } }"],
    ["UserGroup.token", "{ viewer { userGroup { name token } } }"],
    ["UserGroup.id", "{ viewer { userGroup { ...F } } } fragment F on UserGroup { id }"],
    ["DataSource.dataSourceId", "{ viewer { userGroup { mapping { dataSource { dataSourceId } } } } }"],
    [
      "DataSource.userGroups",
      "{ viewer { userGroup { mapping { dataSource { userGroups { totalCount } } } } } }",
    ],
    ["Query.userGroups", "{ viewer { userGroup { name } } userGroups { totalCount } }"],
    ["Query.userGroup", '{ userGroup(by: { providedId: "viewer" }) { name } }'],
    ["Query.node", '{ node(id: "x") { id } }'],
    [
      "Mutation.deleteUserGroup",
      'mutation { deleteUserGroup(input: { currentToken: "x" }) { deletedUserGroupId } }',
    ],
  ])("does not read %s", async (field, query) => {
    const { token } = await create(`closed ${field}`);
    const reply = await call(token, query);
    expect(reply.status).toBe(403);
    expect(reply.body).toEqual({
      errors: [
        {
          message: `A user group token reads its own group only; ${field} is closed to it.`,
          extensions: { code: "FORBIDDEN", requestId: reply.headers["x-request-id"] },
        },
      ],
    });
  });

  test("is cut off at once by a rotation, and by a deletion", async () => {
    const { run } = graphql();
    const { token } = await create("cut");
    const rotate = `mutation { rotateUserGroupToken(input: { currentToken: "${token}" }) { userGroup { token } } }`;
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
    await run(`mutation { deleteUserGroup(input: { currentToken: "${next}" }) { deletedUserGroupId } }`);
    expect((await call(next, OWN)).status).toBe(401);
  });

  test("is not an API key, nor the other way round", async () => {
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
