import { expect, test } from "vitest";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { expectError, useRest, userGroupOf } from "../../support/rest/rest-fixture.js";

const rest = useRest();

test.each([
  ["user_group_id is required.", "user_group_id", { name: "N" }],
  ["user_group_id must be a string.", "user_group_id", { user_group_id: 5, name: "N" }],
  ["user_group_id must be a string.", "user_group_id", { user_group_id: null, name: "N" }],
  ["user_group_id must not be empty.", "user_group_id", { user_group_id: "", name: "N" }],
  ["user_group_id must be at most 255 characters long.", "user_group_id", { user_group_id: "x".repeat(256) }],
  ["user_group_id must not contain the character U+0000.", "user_group_id", { user_group_id: "a\u0000b" }],
  ["name is required.", "name", { user_group_id: "bad" }],
  ["name must be a string.", "name", { user_group_id: "bad", name: null }],
  ["name must not contain an unpaired surrogate.", "name", { user_group_id: "bad", name: "\ud800" }],
  [
    "properties must be a JSON object or null.",
    "properties",
    { user_group_id: "bad", name: "N", properties: [] },
  ],
  [
    "properties.a.b must not contain the character U+0000.",
    "properties.a.b",
    badProperties({ a: { b: "\u0000" } }),
  ],
  [
    "properties.big must be a number of at most 131072 digits before the decimal point and 16383 after it.",
    "properties.big",
    '{"user_group_id":"bad","name":"N","properties":{"big":1e131072}}',
  ],
  [
    "mapping must be a JSON object or null.",
    "mapping",
    { user_group_id: "bad", name: "N", mapping: "sales" },
  ],
  [
    "mapping.main must be a string.",
    "mapping.main",
    { user_group_id: "bad", name: "N", mapping: { main: 5 } },
  ],
  ["mapping. must not be empty.", "mapping.", { user_group_id: "bad", name: "N", mapping: { "": "sales" } }],
])("%s", async (message, field, body) => {
  expectError(await rest().call("GET", body), 400, { code: "invalid_field", message, field });
});

test("names the first field that is nested too deeply", async () => {
  const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`);
  const { call } = rest();
  expect((await call("GET", badProperties(deep(16), "deep"))).status).toBe(200);
  expectError(await call("GET", badProperties(deep(17))), 400, {
    code: "invalid_field",
    message: `properties${".a".repeat(16)} must be nested at most 16 levels deep.`,
    field: `properties${".a".repeat(16)}`,
  });
});

test("limits properties to 64 KiB", async () => {
  const { call } = rest();
  const text = (bytes: number) => ({ a: "x".repeat(bytes - '{"a":""}'.length) });
  expect((await call("GET", badProperties(text(65_536), "full"))).status).toBe(200);
  expectError(await call("GET", badProperties(text(65_537))), 400, {
    code: "invalid_field",
    message: "properties must be at most 65536 bytes of JSON.",
    field: "properties",
  });
});

test("limits a mapping to 1,000 entries", async () => {
  const { call } = rest();
  const mapping = (entries: number) =>
    Object.fromEntries(Array.from({ length: entries }, (_, index) => [`schema ${index}`, "sales"]));
  expect((await call("GET", { user_group_id: "wide", name: "W", mapping: mapping(1000) })).status).toBe(200);
  expectError(await call("GET", { user_group_id: "bad", name: "W", mapping: mapping(1001) }), 400, {
    code: "invalid_field",
    message: "mapping must have at most 1000 entries.",
    field: "mapping",
  });
});

test("creates and returns a group at every limit", async () => {
  const { call, service, keys } = rest();
  const source = "d".repeat(255);
  const input = { providedId: source, name: "Longest id" };
  const create = `mutation ($input: CreateDataSourceInput!) { createDataSource(input: $input) { userErrors { code } } }`;
  const created = await callGraphql(service.url, keys.admin, create, { input });
  expect(created.body).toEqual({ data: { createDataSource: { userErrors: [] } } });
  const schemas = Array.from({ length: 1000 }, (_, index) => `${index}`.padStart(255, "s"));
  const mapping = Object.fromEntries(schemas.map((schema) => [schema, source]));
  const properties = { a: "x".repeat(65_536 - '{"a":""}'.length) };
  const reply = await call("GET", {
    user_group_id: "i".repeat(255),
    name: "n".repeat(255),
    mapping,
    properties,
  });
  expect(reply.body).toMatchObject({ success: 1, new_user_group: true, user_group: { properties } });
  const { team_id } = userGroupOf(reply);
  const counted = `SELECT count(*)::integer AS entries FROM mapping_entry WHERE user_group_id = $1`;
  expect(await service.query(counted, [team_id])).toEqual([{ entries: 1000 }]);
});

test("created nothing along the way", async () => {
  expect((await rest().call("PUT", { user_group_id: "bad" })).status).toBe(404);
});

function badProperties(properties: unknown, id = "bad") {
  return { user_group_id: id, name: "N", properties };
}
