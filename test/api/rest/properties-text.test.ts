import { request } from "undici";
import { describe, expect, test } from "vitest";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";

const { keys, service } = await startGraphql();

/** Text that `JSON.parse` and `JSON.stringify` would change: key order, numbers, escapes, duplicate keys. */
const TEXT =
  '{"b":1.0,"10":123456789012345678901234567890,"2":{"z":-0,"a":[1E+2,0.1234567890123456789012,9007199254740993]},"e":"\\u00e9\\/é🙂","f":1e400,"g":1e-400,"d":1,"d":2}';

/** The reply of `/api/user` as text. */
async function callText(method: string, body: string): Promise<string> {
  const reply = await request(`${service.url}/api/user`, {
    method,
    headers: { authorization: `Token ${keys.admin}`, "content-type": "application/json" },
    body,
  });
  expect(reply.statusCode).toBe(200);
  expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
  return reply.body.text();
}

async function graphql(query: string, variables: object = {}) {
  const { body } = await callGraphql(service.url, keys.admin, query, { ...variables });
  const { data, errors } = Object(body);
  expect(errors).toBeUndefined();
  return data;
}

describe("properties are returned as they were sent", () => {
  test("when a group is created, read and changed", async () => {
    const created = await callText("GET", `{"user_group_id":"text","name":"T","properties":${TEXT}}`);
    expect(created).toContain(`"provided_id":"text","properties":${TEXT}}}`);
    expect(await callText("GET", '{"user_group_id":"text"}')).toContain(`"properties":${TEXT}}}`);
    expect(await callText("PUT", '{"user_group_id":"text","name":"New"}')).toContain(`"properties":${TEXT},`);
    const other = TEXT.replace('"b":1.0', '"b":1.5');
    const changed = await callText("PUT", `{"properties":${other},"user_group_id":"text"}`);
    expect(changed).toContain(`"properties":${other},"api_environment_tag":"Customer"}}`);
  });

  test("except for white space between tokens, which does not count towards the limit", async () => {
    const spaced = `{ "a" :\n [ 1.0 ,\t"x  y" ] ${" ".repeat(70_000)} }`;
    const created = await callText("GET", `{"user_group_id":"spaced","name":"S","properties":${spaced}}`);
    expect(created).toContain('"properties":{"a":[1.0,"x  y"]}}}');
  });

  test("a name with quotes, and a group without properties", async () => {
    const name = 'N "quoted" \\ \n \u2028 🙂';
    const created = await callText("GET", JSON.stringify({ user_group_id: name, name }));
    expect(JSON.parse(created)).toMatchObject({ user_group: { name, provided_id: name, properties: null } });
  });
});

describe("numbers at the limit of PostgreSQL", () => {
  const group = (id: string, number: string) =>
    `{"user_group_id":"${id}","name":"N","properties":{"n":${number}}}`;

  test.each(["1e131071", "-9.99e131071", "1e-16383", `0.${"1".repeat(16_383)}`])("%.20s", async (number) => {
    const text = `"properties":{"n":${number}}`;
    expect(await callText("GET", group(number.slice(0, 30), number))).toContain(text);
    // PostgreSQL compares them as JSON values.
    const respelled = `{"user_group_id":"${number.slice(0, 30)}","properties":{"n":${number}, "n":${number}}}`;
    expect(await callText("PUT", respelled)).toContain(text);
    const list = "query ($filter: UserGroupFilter) { userGroups(filter: $filter) { totalCount } }";
    const filter = { providedIds: [number.slice(0, 30)], properties: { n: 1 } };
    expect(await graphql(list, { filter })).toEqual({ userGroups: { totalCount: 0 } });
  });
});
