import { request } from "undici";
import { afterAll, describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { expectDerivedColumns } from "../../support/postgres/derived-columns.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError, userGroupOf } from "../../support/rest/rest-fixture.js";
import { mistyped } from "../../support/secrets/secret-search.js";

const { keys, rest: call, service } = await startGraphql();
afterAll(() => expectDerivedColumns(service));
const unknownId = {
  code: "user_group_not_found",
  message:
    "No user group of this environment has this ID. Create it with GET /api/user (REST) or `getOrCreateUserGroup` (GraphQL). Groups of the other environment are not visible here.",
};
const unknownToken = { code: "user_group_not_found", message: "No user group has this token." };

async function create(id: string, group: object = {}): Promise<string> {
  return userGroupOf(await call("GET", { user_group_id: id, name: id, ...group })).token;
}

/** The internal ID of an account's data source. */
async function dataSourceId(accountId: number): Promise<string> {
  const text = `SELECT id FROM data_source WHERE account_id = ${accountId} AND environment = 'Customer' AND provided_id = 'sales'`;
  const [row] = await service.query(text);
  return String(row.id);
}

test("replies have exactly the documented keys, in order (decision 3)", async () => {
  const call = async (method: string, body: object) => {
    const headers = { authorization: `Token ${keys.testing}`, "content-type": "application/json" };
    const reply = await request(`${service.url}/api/user`, { method, headers, body: JSON.stringify(body) });
    return reply.body.text();
  };
  const created = await call("GET", { user_group_id: "acme", name: "Acme", mapping: { main: "sales" } });
  const { team_id, token } = JSON.parse(created).user_group;
  expect(token).toMatch(/^ugt_[0-9A-Za-z]{55}$/);
  const fields = `"team_id":${team_id},"token":"${token}","name":"Acme","provided_id":"acme","properties":null`;
  expect(created).toBe(`{"success":1,"new_user_group":true,"user_group":{${fields}}}`);
  const tag = '"api_environment_tag":"Testing"';
  const changed = await call("PUT", { user_group_id: "acme", name: "Acme Inc.", properties: { a: 1 } });
  const newFields = fields.replace("Acme", "Acme Inc.").replace("null", '{"a":1}');
  expect(changed).toBe(`{"success":1,"user_group":{${newFields},${tag}}}`);
  const rotated = await call("POST", { current_token: token });
  const { token: newToken } = JSON.parse(rotated).user_group;
  expect(rotated).toBe(
    `{"success":1,"user_group":{"team_id":${team_id},"token":"${newToken}","name":"Acme Inc.","provided_id":"acme",${tag}}}`,
  );
  expect(newToken).not.toBe(token);
  const found = await call("GET", { user_group_id: "acme", name: 5, mapping: { a: "nowhere" }, other: [] });
  expect(found).toBe(
    `{"success":1,"new_user_group":false,"user_group":{${newFields.replace(token, newToken)}}}`,
  );
  expect(await call("DELETE", { current_token: newToken })).toBe('{"success":1}');
});

// Which scopes each operation needs is in the access matrix.
test("403: an operation that the key's scope does not allow changes nothing", async () => {
  const token = await create("kept");
  const readOnly = "This API key is read-only. Use an API key with `write` scope.";
  const noToken =
    "The reply contains the user group's token, which this API key cannot read. Use an API key with `embed` scope.";
  for (const [method, body, key, message] of [
    ["GET", {}, keys.read, noToken],
    ["GET", { user_group_id: "none", name: "N" }, keys.embed, readOnly],
    ["PUT", { user_group_id: "kept", name: "X" }, keys.read, readOnly],
    ["POST", { current_token: token }, keys.embed, readOnly],
    ["DELETE", { current_token: token }, keys.read, readOnly],
  ] as const)
    expectError(await call(method, body, key), 403, { code: "forbidden", message });
  expect(await call("GET", { user_group_id: "kept" }, keys.embed)).toMatchObject({
    body: { new_user_group: false, user_group: { name: "kept", token } },
  });
  expect((await call("PUT", { user_group_id: "none" }, keys.write)).status).toBe(404);
});

test.each(["GET", "PUT"])("422: %s with an unknown data source changes nothing", async (method) => {
  const id = `unmapped ${method}`;
  if (method === "PUT") await create(id, { name: "Old" });
  const mapping = { good: "sales", "a.b": "nowhere", c: "elsewhere" };
  const [message, other] = ["nowhere", "elsewhere"].map(
    (one) =>
      `The environment has no data source "${one}". Create it with the GraphQL mutation \`createDataSource\`, or use the ID of another one.`,
  );
  expectError(await call(method, { user_group_id: id, name: "New", mapping }), 422, {
    code: "unknown_data_source",
    message,
    field: "mapping.a.b",
    fields: [
      { field: "mapping.a.b", message },
      { field: "mapping.c", message: other },
    ],
  });
  const foreign = { a: await dataSourceId((await service.createAccount()).accountId) };
  expect((await call(method, { user_group_id: id, name: "New", mapping: foreign })).status).toBe(422);
  const left = await call("PUT", { user_group_id: id });
  if (method === "GET") expect(left.status).toBe(404);
  else expect(left.body).toMatchObject({ user_group: { name: "Old" } });
});

describe("GET", () => {
  test("is answered at /api/user/, too", async () => {
    const body = { user_group_id: "slash", name: "S" };
    const reply = await callRest(`${service.url}/api/user/`, "GET", keys.admin, body);
    expect(reply).toMatchObject({ status: 200, body: { success: 1, new_user_group: true } });
  });

  test("accepts a body without a Content-Type, and JSON with a charset", async () => {
    for (const type of ["", "Application/JSON", "application/json; charset=UTF-8"]) {
      const headers = { "content-type": type || undefined };
      const body = { user_group_id: "types", name: "Types" };
      expect((await callRest(`${service.url}/api/user`, "GET", keys.admin, body, headers)).status).toBe(200);
    }
  });
});

describe("PUT", () => {
  test("keeps absent fields, clears null ones and replaces objects as a whole", async () => {
    await create("fields", { name: "Old", properties: { a: 1, b: 2 } });
    for (const [change, name, properties] of [
      [{}, "Old", { a: 1, b: 2 }],
      [{ name: "New" }, "New", { a: 1, b: 2 }],
      [{ name: "X", properties: 5 }, undefined, undefined],
      [{ properties: { c: 3 } }, "New", { c: 3 }],
      [{ properties: null }, "New", null],
    ] as const) {
      const { status, body } = await call("PUT", { user_group_id: "fields", ...change });
      const { user_group } = Object(body);
      if (name === undefined) expect(status).toBe(400);
      else expect([user_group.name, user_group.properties]).toEqual([name, properties]);
    }
  });
});

describe("POST", () => {
  test("rotates nothing for any text that is not a group's token", async () => {
    const token = await create("target");
    for (const wrong of [
      mistyped(token),
      token.toLowerCase(),
      ` ${token}`,
      "ugt_",
      "x".repeat(10_000),
      "\u0000",
    ]) {
      expectError(await call("POST", { current_token: wrong }), 404, unknownToken);
    }
    expect(await create("target")).toBe(token);
  });
});

describe("DELETE", () => {
  test("deletes the group with its mapping, if its ID and a data source match", async () => {
    const token = await create("doomed", { mapping: { a: "sales", b: "support" } });
    const body = { current_token: token, user_group_id: "doomed", data_source_provided_id: "support" };
    expect((await call("DELETE", body)).body).toEqual({ success: 1 });
    expectError(await call("PUT", { user_group_id: "doomed" }), 404, unknownId);
    for (const method of ["POST", "DELETE"])
      expectError(await call(method, { current_token: token }), 404, unknownToken);
    const again = await call("GET", { user_group_id: "doomed", name: "Again" });
    expect(again.body).toMatchObject({ new_user_group: true });
  });

  test.each([
    ["user_group_id", { user_group_id: "someone else" }],
    ["data_source_provided_id", { data_source_provided_id: "support" }],
    ["data_source_provided_id", { data_source_provided_id: "nowhere" }],
    ["user_group_id", { user_group_id: "someone else", data_source_provided_id: "sales" }],
    ["data_source_provided_id", { user_group_id: "guarded", data_source_provided_id: "support" }],
  ])("a mismatched %s, and nothing is deleted: %j", async (field, contradiction) => {
    const token = await create("guarded", { mapping: { a: "sales" } });
    expectError(await call("DELETE", { current_token: token, ...contradiction }), 409, {
      code: "user_group_mismatch",
      message: "The request does not match the identified user group. Nothing was deleted.",
      field,
    });
    expect(await create("guarded")).toBe(token);
  });
});
