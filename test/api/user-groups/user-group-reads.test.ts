import { expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, READ } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql();
const create = (providedId: string, more: object = {}) => createUserGroup(graphql(), providedId, more);

test("finds a group by each of its IDs and returns null for an unknown one", async () => {
  const { run, strangerKey, keys } = graphql();
  const { id, teamId, token, ...group } = await create("found");
  const ways = [{ id }, { teamId }, { providedId: "found" }, { token }];
  for (const by of ways) {
    expect((await run(READ, { by })).userGroup).toEqual({ id, teamId, token, ...group });
    expect((await run(READ, { by }, strangerKey)).userGroup).toBeNull();
    expect((await run(READ, { by }, keys.testing)).userGroup).toBeNull();
  }
  for (const by of [
    { id: "nonsense" },
    { id: `${id}=` },
    { teamId: -1 },
    { providedId: "none" },
    { token: "none" },
  ]) {
    expect((await run(READ, { by })).userGroup).toBeNull();
  }
});

test("requires exactly one ID, also when the operation is compiled", async () => {
  const { call, run } = graphql();
  const text = `query Compiled($by: UserGroupBy!) { userGroup(by: $by) { id } }`;
  for (let times = 0; times < 5; times += 1) await run(text, { by: { providedId: "a" } });
  for (const query of [READ, text]) {
    for (const by of [{}, { id: null }, { providedId: "a", teamId: 1 }, { providedId: "a", teamId: null }]) {
      const { body } = await call(query, { by });
      expect(body).toMatchObject({
        errors: [
          {
            message: expect.stringContaining('Variable "$by" got invalid value'),
            extensions: { code: "BAD_USER_INPUT" },
          },
        ],
      });
      expect(body).not.toHaveProperty("data");
    }
  }
  const literal = 'query ($id: ID) { userGroup(by: { id: $id, providedId: "a" }) { id } }';
  expect((await call(literal, {})).body).toMatchObject({
    errors: [{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }],
  });
});

test("returns the token only to keys that can change it, and null to others", async () => {
  const { run, keys } = graphql();
  const { token } = await create("secretive");
  const by = { providedId: "secretive" };
  expect((await run(READ, { by })).userGroup.token).toBe(token);
  expect((await run(READ, { by }, keys.read)).userGroup.token).toBeNull();
});

test("each API reads what the other wrote", async () => {
  const { run, service, keys } = graphql();
  const { token } = await create("shared", { properties: { a: 1 } });
  const reply = await callRest(`${service.url}/api/user`, "GET", keys.admin, { user_group_id: "shared" });
  expect(reply.body).toMatchObject({ user_group: { token, properties: { a: 1 } } });
  await callRest(`${service.url}/api/user`, "PUT", keys.admin, {
    user_group_id: "shared",
    name: "By REST",
  });
  expect((await run(READ, { by: { providedId: "shared" } })).userGroup).toMatchObject({
    name: "By REST",
    version: 2,
  });
});
