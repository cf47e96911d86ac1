import { expect, test } from "vitest";
import { expectError, useRest } from "./support/rest-fixture.js";

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
  ["properties.big must be a number that a 64-bit float can hold.", "properties.big", badNumber()],
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

test("names the first place that is nested too deeply", async () => {
  const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`);
  const { call } = rest();
  expect((await call("GET", badProperties(deep(16), "deep"))).status).toBe(200);
  expectError(await call("GET", badProperties(deep(17))), 400, {
    code: "invalid_field",
    message: `properties${".a".repeat(16)} must be nested at most 16 levels deep.`,
    field: `properties${".a".repeat(16)}`,
  });
});

test("properties take at most 64 KiB", async () => {
  const { call } = rest();
  const text = (bytes: number) => ({ a: "x".repeat(bytes - '{"a":""}'.length) });
  expect((await call("GET", badProperties(text(65_536), "full"))).status).toBe(200);
  expectError(await call("GET", badProperties(text(65_537))), 400, {
    code: "invalid_field",
    message: "properties must take at most 65536 bytes as JSON text.",
    field: "properties",
  });
});

test("a mapping has at most 1000 entries", async () => {
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

test("nothing was created on the way", async () => {
  expect((await rest().call("PUT", { user_group_id: "bad" })).status).toBe(404);
});

function badProperties(properties: unknown, id = "bad") {
  return { user_group_id: id, name: "N", properties };
}

function badNumber(): string {
  return '{"user_group_id":"bad","name":"N","properties":{"big":1e999}}';
}
