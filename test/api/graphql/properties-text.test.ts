import { expect, test } from "vitest";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";

/** Text that JavaScript would change: order of keys, spelling and precision of numbers. */
const TEXT = String.raw`{"10":1.10,"2":12345678901234567890,"a":"\u0041","":{"b":[1e3,null]}}`;
const QUERY = `{
  userGroups(first: 5) { nodes { name properties } }
  one: userGroup(by: { providedId: "exact" }) { properties again: properties }
  none: userGroup(by: { providedId: "none" }) { properties }
}`;
const { keys, run, send, service } = await startGraphql();

test("replies contain properties as they were stored, on first and repeated execution", async () => {
  const put = (id: string, properties: string) =>
    callRest(
      `${service.url}/api/user`,
      "GET",
      keys.admin,
      `{"user_group_id":"${id}","name":"${id}","properties":${properties}}`,
    );
  expect([(await put("exact", TEXT)).status, (await put("none", "null")).status]).toEqual([200, 200]);
  const data =
    `{"userGroups":{"nodes":[{"name":"exact","properties":${TEXT}},{"name":"none","properties":null}]},` +
    `"one":{"properties":${TEXT},"again":${TEXT}},"none":{"properties":null}}`;
  for (let run = 0; run < 3; run += 1) {
    const reply = await fetch(`${service.url}/graphql`, {
      method: "POST",
      headers: { authorization: `Token ${keys.admin}`, "content-type": "application/json" },
      body: JSON.stringify({ query: QUERY }),
    });
    expect(await reply.text()).toBe(`{"data":${data}}\n`);
  }
});

test.each(["0.1e-400", "12345678901234.567", "1e999", "-1.00000000000000000001"])(
  "the number %s is refused, in variables and in the document: a float does not keep it",
  async (number) => {
    const refused = [
      {
        code: "INVALID_FIELD",
        field: ["properties", "a", "1"],
        message:
          "properties.a.1 must be a number that a 64-bit float keeps; send it as a string, or the properties over REST.",
      },
    ];
    const literal = `mutation { createUserGroup(input: { providedId: "n", name: "N", properties: { a: [0.5, ${number}] } }) { userErrors { code field message } } }`;
    expect((await run(literal)).createUserGroup.userErrors).toEqual(refused);
    const query =
      "mutation ($input: CreateUserGroupInput!) { createUserGroup(input: $input) { userErrors { code field message } } }";
    const input = `{"providedId":"n","name":"N","properties":{"a":[0.5,${number}]}}`;
    // Twice: the second time without Apollo Server.
    for (let times = 0; times < 2; times += 1) {
      const body = `{"query":${JSON.stringify(query)},"variables":{"input":${input}}}`;
      const reply = await send(body);
      expect(reply.body).toMatchObject({ data: { createUserGroup: { userErrors: refused } } });
    }
    const patch = `mutation { putSiteConfig(input: { source: { document: { a: ${number} } } }) { userErrors { code field } } }`;
    expect((await run(patch)).putSiteConfig.userErrors).toEqual([
      { code: "INVALID_FIELD", field: ["source", "document", "a"] },
    ]);
    const session = `{"user_group_id":"exact","variables":{"a":${number}}}`;
    expect(await callRest(`${service.url}/api/embed-session`, "POST", keys.admin, session)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_field", field: "variables.a" } },
    });
  },
);

test("a name that looks like JSON or a UUID is no raw text", async () => {
  const name = `"00000000-0000-4000-8000-000000000000",{"a":1}`;
  await callRest(`${service.url}/api/user`, "GET", keys.admin, {
    user_group_id: "named",
    name,
    properties: { name },
  });
  const query = `{ userGroup(by: { providedId: "named" }) { name properties } }`;
  expect((await callGraphql(service.url, keys.admin, query)).body).toEqual({
    data: { userGroup: { name, properties: { name } } },
  });
});
