import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = await startGraphql();
const { account, keys, service } = graphql;
const PROPERTIES = '{"plan":"gold","size":12345678901234567890.10}';

const create = (id: string, fields: object = {}, key = keys.admin) =>
  callRest(`${service.url}/api/user`, "GET", key, { user_group_id: id, name: id.toUpperCase(), ...fields });
const list = (query = "", key: string | undefined = keys.read) =>
  callRest(`${service.url}/api/user-groups${query}`, "GET", key);

/** The IDs on a page, and its cursor. */
async function read(query: string): Promise<{ readonly ids: string[]; readonly next: string | null }> {
  const { status, body } = await list(query);
  expect([status, body]).toEqual([200, expect.objectContaining({ success: 1 })]);
  const { user_groups, next_cursor: next } = Object(body);
  return { ids: user_groups.map(({ provided_id }: { provided_id: string }) => provided_id), next };
}

await graphql.mutate(
  "createDataSource",
  { providedId: "warehouse", name: "Warehouse" },
  "dataSource { providedId }",
);
await callRest(
  `${service.url}/api/user`,
  "GET",
  keys.admin,
  `{"user_group_id":"a","name":"A","properties":${PROPERTIES}}`,
);
await create("b", { mapping: { sales: "warehouse", hr: "warehouse" } });
await create("c", { mapping: { sales: "warehouse" } });
await create("d");
await create("a", {}, (await account.createKey({ environment: "Testing", scope: "admin" })).secret);

test("pages contain each group once, in order of creation, without its token", async () => {
  const ids: string[] = [];
  let cursor = "";
  for (;;) {
    const page = await read(`?limit=3${cursor}`);
    ids.push(...page.ids);
    if (page.next === null) break;
    cursor = `&cursor=${encodeURIComponent(page.next)}`;
  }
  expect(ids).toEqual(["a", "b", "c", "d"]);
  const reply = await fetch(`${service.url}/api/user-groups/?limit=1`, {
    headers: { authorization: `Token ${keys.read}` },
  });
  const text = await reply.text();
  expect(text).toMatch(
    /^\{"success":1,"user_groups":\[\{"team_id":\d+,"name":"A","provided_id":"a","properties":/,
  );
  expect(text).toContain(`"properties":${PROPERTIES},"version":1,"updated_at":"2`);
  expect(text).not.toContain("token");
});

test.each([
  ["?user_group_id=c", ["c"]],
  ["?user_group_id=nobody", []],
  ["?schema_id=sales", ["b", "c"]],
  ["?schema_id=hr&data_source_provided_id=warehouse", ["b"]],
  ["?data_source_provided_id=nowhere", []],
  ["?data_source_provided_id=warehouse&user_group_id=a", []],
  ["?limit=250", ["a", "b", "c", "d"]],
])("%s", async (query, ids) => {
  expect(await read(query)).toEqual({ ids, next: null });
});

describe("a parameter that is not understood is refused, as it would widen the list:", () => {
  const foreign = Buffer.from('["name","A",1]').toString("base64url");
  test.each([
    ["?user_group=a", "user_group"],
    ["?user_group_id=", "user_group_id"],
    ["?schema_id=a&schema_id=b", "schema_id"],
    ["?data_source_provided_id=", "data_source_provided_id"],
    ["?limit=0", "limit"],
    ["?limit=251", "limit"],
    ["?limit=1e1", "limit"],
    ["?limit=", "limit"],
    ["?cursor=x", "cursor"],
    ["?cursor=", "cursor"],
    [`?cursor=${foreign}`, "cursor"],
    ["?properties=%7B%7D", "properties"],
  ])("%s", async (query, field) => {
    expect(await list(query)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_field", field } },
    });
  });

  test("a body", async () => {
    const reply = await callRest(`${service.url}/api/user-groups`, "GET", keys.read, { user_group_id: "a" });
    expect(reply).toMatchObject({ status: 400, body: { error: { code: "invalid_field", field: "body" } } });
  });
});

test("an API key is required", async () => {
  expect(await callRest(`${service.url}/api/user-groups`, "GET", undefined)).toMatchObject({ status: 401 });
});
