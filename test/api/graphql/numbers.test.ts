import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";

const { keys, rest, run, send, service } = await startGraphql();

const KEPT = "kept by both";
const REST_ONLY = "kept by REST, refused by GraphQL";
const REFUSED = "refused by both";

const NUMBERS: readonly (readonly [number: string, rule: string])[] = [
  ...["0", "-1.5e3", "0.1", "9007199254740991", "9007199254740992", "-9007199254740992"].map(
    (number) => [number, KEPT] as const,
  ),
  ...["1e20", "100000000000000000000", "1e21", "1e22", "1e308", "5e-324"].map(
    (number) => [number, KEPT] as const,
  ),
  ...["9007199254740993", "809191427645181212", "12345678901234.567", "0.1e-400", "1e999", "1e131071"].map(
    (number) => [number, REST_ONLY] as const,
  ),
  ...[
    "1e131072",
    "0E131072",
    "1e-16384",
    "0E-20000",
    `0.${"0".repeat(20_000)}`,
    `1.${"0".repeat(20_000)}`,
  ].map((number) => [number, REFUSED] as const),
];

describe.each(NUMBERS)("%.40s", (number, rule) => {
  const refused = [{ code: "INVALID_FIELD", field: ["properties", "n"] }];
  const selection = "{ userGroup { properties } userErrors { code field } }";

  test(`over REST, ${rule}`, async () => {
    const body = `{"user_group_id":"rest","name":"R","properties":{"n":${number}}}`;
    const created = await rest("GET", body.replace("rest", `rest ${number.slice(0, 40)}`));
    expect(created.status).toBe(rule === REFUSED ? 400 : 200);
  });

  test.each([
    [
      "in the document",
      (providedId: string) => ({
        query: `mutation { createUserGroup(input: { providedId: ${JSON.stringify(providedId)}, name: "N", properties: { n: ${number} } }) ${selection} }`,
      }),
    ],
    [
      "in variables",
      (providedId: string) =>
        `{"query":"mutation ($input: CreateUserGroupInput!) { createUserGroup(input: $input) ${selection} }","variables":{"input":{"providedId":${JSON.stringify(providedId)},"name":"N","properties":{"n":${number}}}}}`,
    ],
  ])(`over GraphQL %s, ${rule}`, async (place, bodyOf) => {
    const { body } = await send(bodyOf(`${place} ${number.slice(0, 40)}`));
    const { userGroup, userErrors } = Object(body).data.createUserGroup;
    expect(userErrors).toEqual(rule === KEPT ? [] : refused);
    if (rule === KEPT) expect(userGroup.properties.n).toBe(Number(number));
    else expect(userGroup).toBeNull();
  });
});

test("a number that a float does not keep is refused with its place, also in site configurations and sessions", async () => {
  const number = "12345678901234.567";
  const create = `mutation { createUserGroup(input: { providedId: "n", name: "N", properties: { a: [0.5, ${number}] } }) { userErrors { message } } }`;
  const message =
    "properties.a.1 must be a number that a 64-bit float keeps; send it as a string, or the properties over REST.";
  expect((await run(create)).createUserGroup.userErrors).toEqual([{ message }]);
  const put = `mutation { putSiteConfig(input: { source: { document: { a: ${number} } } }) { userErrors { code field } } }`;
  expect((await run(put)).putSiteConfig.userErrors).toEqual([
    { code: "INVALID_FIELD", field: ["source", "document", "a"] },
  ]);
  const session = `{"user_group_id":"large","variables":{"a":${number}}}`;
  expect(await callRest(`${service.url}/api/embed-session`, "POST", keys.admin, session)).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_field", field: "variables.a" } },
  });
});

describe("large integers are found", () => {
  const TENANT = "809191427645181212";
  const text = `{"tenant": ${TENANT}}`;
  const QUERY =
    "query ($properties: JSON) { userGroups(filter: { properties: $properties }) { nodes { providedId } } }";
  const found = { data: { userGroups: { nodes: [{ providedId: "large" }] } } };

  test("by the JSON text of the filter", async () => {
    for (const [id, tenant] of [
      ["large", TENANT],
      ["next", "809191427645181213"],
    ])
      await rest("GET", `{"user_group_id":"${id}","name":"L","properties":{"tenant":${tenant}}}`);
    const literal = `{ userGroups(filter: { properties: ${JSON.stringify(text)} }) { nodes { providedId } } }`;
    expect((await send({ query: literal })).body).toEqual(found);
    // Twice: the second time without Apollo Server.
    for (let times = 0; times < 2; times += 1)
      expect((await send({ query: QUERY, variables: { properties: text } })).body).toEqual(found);
    const search = new URLSearchParams({ query: QUERY, variables: JSON.stringify({ properties: text }) });
    const reply = await callRest(`${service.url}/graphql?${search}`, "GET", keys.admin, undefined, {
      "apollo-require-preflight": "1",
    });
    expect(reply.body).toEqual(found);
  });

  test("not by a number that a float does not keep, however it is sent", async () => {
    const message =
      "filter.properties.tenant must be a number that a 64-bit float keeps; send the filter as JSON text.";
    const literal = `{ userGroups(filter: { properties: { tenant: ${TENANT} } }) { nodes { providedId } } }`;
    const search = new URLSearchParams({ query: QUERY, variables: `{"properties":${text}}` });
    for (const reply of [
      await send({ query: literal }),
      await send(`{"query":"${QUERY}","variables":{"properties":${text}}}`),
      await callRest(`${service.url}/graphql?${search}`, "GET", keys.admin, undefined, {
        "apollo-require-preflight": "1",
      }),
    ])
      expect(reply.body).toMatchObject({ errors: [{ message }] });
  });

  test.each(["", "x", "5", "[]", "null", '{"tenant":', `{"a":"${"x".repeat(65_536)}"}`])(
    "not by another text: %.20s",
    async (properties) => {
      expect((await send({ query: QUERY, variables: { properties } })).body).toMatchObject({
        errors: [
          {
            message: expect.stringContaining("filter.properties must be"),
            extensions: { code: "INVALID_FIELD" },
          },
        ],
      });
    },
  );

  test("a change takes the text as a condition, but not that of an empty object", async () => {
    const change = (properties: string) =>
      run(
        "mutation ($input: UpdateUserGroupsInput!) { updateUserGroups(input: $input) { results { userGroup { providedId } } userErrors { code field } } }",
        { input: { filter: { properties }, propertiesPatch: { seen: true } } },
      );
    expect((await change(text)).updateUserGroups).toEqual({
      results: [{ userGroup: { providedId: "large" } }],
      userErrors: [],
    });
    for (const empty of ["{}", " { } "])
      expect((await change(empty)).updateUserGroups).toMatchObject({
        userErrors: [{ code: "INVALID_FIELD", field: ["filter", "properties"] }],
      });
  });
});
