import { expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { PUBLIC_URL } from "../../support/session-templates/templates.js";

const graphql = await startGraphql({ publicUrl: PUBLIC_URL });
const { keys } = graphql;

test("claims are checked before they are saved, and shown for a user group", async () => {
  await createUserGroup(graphql, "acme", { properties: { region: "EU" } });
  await createUserGroup(graphql, "without", {});
  const check = async (claims: object, by?: object, key = keys.admin) =>
    graphql.run(
      `query($input: SessionTemplateCheckInput!) { sessionTemplateCheck(input: $input) {
        checked refused errors { field } sessionClaims { claims errors { field message } } } }`,
      { input: { algorithm: "ES256", claims, ...(by && { by }) } },
      key,
    );
  const claims = { region: "{{ userGroup.properties.region }}", sub: "{{ userGroup.providedId }}" };
  const counts = { checked: 2, refused: 1, errors: [] };
  const rendered = { claims: { region: "EU", sub: "acme" }, errors: [] };
  const error = {
    field: ["claims", "region"],
    message: expect.stringMatching(/`without`: set its property `region`/),
  };
  for (const [by, sessionClaims] of [
    [undefined, null],
    [{ providedId: "unknown" }, null],
    [{ providedId: "acme" }, rendered],
    [{ providedId: "without" }, { claims: null, errors: [error] }],
  ] as const)
    expect(await check(claims, by)).toEqual({ sessionTemplateCheck: { ...counts, sessionClaims } });
  const invalid = { sub: "{{ userGroup.nothing }}", exp: 1 };
  expect(await check(invalid, { providedId: "acme" })).toEqual({
    sessionTemplateCheck: {
      checked: 0,
      refused: 0,
      errors: [{ field: ["claims", "exp"] }, { field: ["claims", "sub"] }],
      sessionClaims: null,
    },
  });
  const one = "sessionTemplateCheck(input: { algorithm: ES256, claims: {} }) { checked }";
  const { body } = await graphql.call(`{ one: ${one} two: ${one} }`);
  expect(Object(body).errors).toMatchObject([{ path: ["two"], extensions: { code: "QUERY_TOO_EXPENSIVE" } }]);
  await expect(check(claims, { providedId: "acme" }, keys.embed)).rejects.toThrow(/This API key cannot/);
});

test("a list shows the claims of each user group, even if it selects nothing else", async () => {
  const claims = { region: "{{ userGroup.properties.region }}" };
  await graphql.mutate("createSessionTemplate", { name: "listed", algorithm: "ES256", claims });
  const { userGroups } = await graphql.run(
    '{ userGroups(filter: { providedIds: ["acme"] }) { nodes { sessionClaims(template: "listed") { claims } } } }',
  );
  expect(userGroups.nodes).toEqual([{ sessionClaims: { claims: { region: "EU" } } }]);
});
