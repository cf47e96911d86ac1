import { expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql({ subgraph: true });

test.each([
  ["alone", "{ _entities(representations: $of) { __typename } }"],
  [
    "beside its own group",
    "{ viewer { userGroup { name } } _entities(representations: $of) { __typename } }",
  ],
  ["under an alias", "{ mine: _entities(representations: $of) { ... on UserGroup { name } } }"],
  ["in a fragment", "{ ...F } fragment F on Query { _entities(representations: $of) { __typename } }"],
])("a front end of a subgraph gets no part of a request with _entities: %s", async (how, selection) => {
  const { token } = await createUserGroup(graphql(), `front end ${how}`);
  const headers = { authorization: `Bearer ${token}` };
  const body = {
    query: `query ($of: [_Any!]!) ${selection}`,
    variables: { of: [{ __typename: "UserGroup", providedId: `front end ${how}` }] },
  };
  const reply = await callRest(`${graphql().service.url}/graphql`, "POST", undefined, body, headers);
  expect(reply.status).toBe(403);
  expect(reply.body).toEqual({
    errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: "FORBIDDEN" }) })],
  });
});
