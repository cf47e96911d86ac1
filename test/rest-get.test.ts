import { request } from "undici";
import { describe, expect, test } from "vitest";
import { callRest } from "./support/rest-client.js";
import { expectError, useRest } from "./support/rest-fixture.js";

const rest = useRest();
const tokenFormat = expect.stringMatching(/^ugt_[0-9A-Za-z]{55}$/);

describe("200", () => {
  test("creates the group the first time and returns it unchanged ever after", async () => {
    const { call } = rest();
    const first = await call("GET", {
      user_group_id: "acme",
      name: "Acme",
      mapping: { main: "sales" },
      properties: { region: "EU", limits: [1, 2.5, null] },
    });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      success: 1,
      new_user_group: true,
      user_group: {
        team_id: expect.any(Number),
        token: tokenFormat,
        name: "Acme",
        provided_id: "acme",
        properties: { region: "EU", limits: [1, 2.5, null] },
      },
    });
    const again = await call("GET", { user_group_id: "acme", name: "Other", properties: null });
    expect(again.body).toEqual({ ...Object(first.body), new_user_group: false });
  });

  test("has the keys of the interface, in its order", async () => {
    const { service, keys } = rest();
    const reply = await fetchText(`${service.url}/api/user`, keys.admin, {
      user_group_id: "order",
      name: "Order",
    });
    expect(reply).toMatch(
      /^\{"success":1,"new_user_group":true,"user_group":\{"team_id":\d+,"token":"\w+","name":"Order","provided_id":"order","properties":null\}\}$/,
    );
  });

  test("keeps the order of the properties' keys", async () => {
    const { service, keys } = rest();
    const properties = { zebra: 1, ape: { y: 1, x: 2 }, "10": 1, __proto: "no" };
    const reply = await fetchText(`${service.url}/api/user`, keys.admin, {
      user_group_id: "keys",
      name: "Keys",
      properties,
    });
    expect(reply).toContain(JSON.stringify(properties));
    expect(await fetchText(`${service.url}/api/user`, keys.admin, { user_group_id: "keys" })).toContain(
      JSON.stringify(properties),
    );
  });

  test("an existing group needs only its id, whatever else the body says", async () => {
    const { call } = rest();
    await call("GET", { user_group_id: "lenient", name: "Lenient" });
    const reply = await call("GET", {
      user_group_id: "lenient",
      name: 5,
      mapping: { a: "nowhere" },
      unknown: [],
    });
    expect(reply.body).toMatchObject({ success: 1, new_user_group: false, user_group: { name: "Lenient" } });
  });

  test("answers /api/user/ directly", async () => {
    const { service, keys } = rest();
    const reply = await callRest(`${service.url}/api/user/`, "GET", keys.admin, {
      user_group_id: "slash",
      name: "S",
    });
    expect(reply).toMatchObject({ status: 200, body: { success: 1, new_user_group: true } });
  });

  test("takes a body without a Content-Type, and JSON types with a suffix or charset", async () => {
    const { service, keys } = rest();
    for (const type of ["", "application/json; charset=UTF-8", "application/vnd.api+json"]) {
      const headers = { "content-type": type || undefined };
      const body = { user_group_id: "types", name: "Types" };
      expect((await callRest(`${service.url}/api/user`, "GET", keys.admin, body, headers)).status).toBe(200);
    }
  });

  test("a read key gets an existing group", async () => {
    const { call, keys } = rest();
    const created = await call("GET", { user_group_id: "readable", name: "Readable" });
    const read = await call("GET", { user_group_id: "readable" }, keys.read);
    expect(read.body).toEqual({ ...Object(created.body), new_user_group: false });
  });

  test("the environments of an account and other accounts have groups of their own", async () => {
    const { call, keys, strangerKey } = rest();
    const body = { user_group_id: "same", name: "Same" };
    for (const key of [keys.admin, keys.testing, strangerKey]) {
      expect((await call("GET", body, key)).body).toMatchObject({ new_user_group: true });
      expect((await call("GET", body, key)).body).toMatchObject({ new_user_group: false });
    }
  });

  test("a mapping value is a provided id first, then an internal id", async () => {
    const { call, service, account } = rest();
    const writer = {
      ...account,
      accountName: account.name,
      environment: "Customer",
      keyId: 0,
      scope: "admin",
    } as const;
    const [sales] = await service.services.dataSources.byProvidedIds(writer, ["sales"]);
    const reply = await call("GET", {
      user_group_id: "internal",
      name: "I",
      mapping: { a: String(sales?.id) },
    });
    expect(reply.body).toMatchObject({ success: 1, new_user_group: true });
  });

  test("ids and names may have 255 characters of any script", async () => {
    const { call } = rest();
    const longest = "🙂".repeat(255);
    const reply = await call("GET", { user_group_id: longest, name: longest });
    expect(reply.body).toMatchObject({ user_group: { provided_id: longest, name: longest } });
  });
});

describe("400", () => {
  test.each([
    ["user_group_id is required.", "user_group_id", { name: "N" }],
    ["user_group_id must be a string.", "user_group_id", { user_group_id: 5, name: "N" }],
    ["user_group_id must be a string.", "user_group_id", { user_group_id: null, name: "N" }],
    ["user_group_id must not be empty.", "user_group_id", { user_group_id: "", name: "N" }],
    [
      "user_group_id must be at most 255 characters long.",
      "user_group_id",
      { user_group_id: "x".repeat(256) },
    ],
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
    [
      "mapping. must not be empty.",
      "mapping.",
      { user_group_id: "bad", name: "N", mapping: { "": "sales" } },
    ],
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
    expect((await call("GET", { user_group_id: "wide", name: "W", mapping: mapping(1000) })).status).toBe(
      200,
    );
    expectError(await call("GET", { user_group_id: "bad", name: "W", mapping: mapping(1001) }), 400, {
      code: "invalid_field",
      message: "mapping must have at most 1000 entries.",
      field: "mapping",
    });
  });

  test("nothing was created on the way", async () => {
    expect((await rest().call("PUT", { user_group_id: "bad" })).status).toBe(404);
  });
});

describe("403", () => {
  test("a read key cannot create, and nothing is created", async () => {
    const { call, keys } = rest();
    expectError(await call("GET", { user_group_id: "forbidden", name: "F" }, keys.read), 403, {
      code: "forbidden",
      message: "This API key may only read. Use one with write scope.",
    });
    expect((await call("PUT", { user_group_id: "forbidden" })).status).toBe(404);
  });
});

describe("422", () => {
  test("a data source that the account does not have is named, and nothing is created", async () => {
    const { call } = rest();
    const mapping = { good: "sales", bad: "nowhere" };
    expectError(await call("GET", { user_group_id: "unmapped", name: "U", mapping }), 422, {
      code: "unknown_data_source",
      message: 'The account has no data source "nowhere".',
      field: "mapping.bad",
    });
    expect((await call("PUT", { user_group_id: "unmapped" })).status).toBe(404);
  });

  test("another account's data source is as good as none", async () => {
    const { call, service, strangerKey } = rest();
    const own = await service.createAccount();
    const writer = {
      ...own,
      accountName: own.name,
      environment: "Customer",
      keyId: 0,
      scope: "admin",
    } as const;
    const [foreign] = await service.services.dataSources.byProvidedIds(writer, ["sales"]);
    const body = { user_group_id: "foreign", name: "F", mapping: { a: String(foreign?.id) } };
    expect((await call("GET", body, strangerKey)).status).toBe(422);
  });
});

function badProperties(properties: unknown, id = "bad") {
  return { user_group_id: id, name: "N", properties };
}

function badNumber(): string {
  return '{"user_group_id":"bad","name":"N","properties":{"big":1e999}}';
}

async function fetchText(url: string, key: string, body: unknown): Promise<string> {
  const headers = { authorization: `Token ${key}`, "content-type": "application/json" };
  const reply = await request(url, { method: "GET", headers, body: JSON.stringify(body) });
  return reply.body.text();
}
