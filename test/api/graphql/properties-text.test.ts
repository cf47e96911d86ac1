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
const { keys, service } = await startGraphql();

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
