import { request } from "undici";
import { describe, expect, test } from "vitest";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError, useRest } from "../../support/rest/rest-fixture.js";

const rest = useRest();
const tokenFormat = expect.stringMatching(/^ugt_[0-9A-Za-z]{55}$/);

describe("200", () => {
  test("creates the group on the first call and returns it unchanged afterwards", async () => {
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

  test("has the documented keys, in order", async () => {
    const { service, keys } = rest();
    const reply = await fetchText(`${service.url}/api/user`, keys.admin, {
      user_group_id: "order",
      name: "Order",
    });
    expect(reply).toMatch(
      /^\{"success":1,"new_user_group":true,"user_group":\{"team_id":\d+,"token":"\w+","name":"Order","provided_id":"order","properties":null\}\}$/,
    );
  });

  test("keeps the order of property keys", async () => {
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

  test("an existing group needs only its ID, whatever the rest of the body", async () => {
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

  test("accepts a body without a Content-Type, and JSON types with a suffix or charset", async () => {
    const { service, keys } = rest();
    for (const type of ["", "application/json; charset=UTF-8", "application/vnd.api+json"]) {
      const headers = { "content-type": type || undefined };
      const body = { user_group_id: "types", name: "Types" };
      expect((await callRest(`${service.url}/api/user`, "GET", keys.admin, body, headers)).status).toBe(200);
    }
  });

  test("an embed key can get an existing group", async () => {
    const { call, keys } = rest();
    const created = await call("GET", { user_group_id: "readable", name: "Readable" });
    const read = await call("GET", { user_group_id: "readable" }, keys.embed);
    expect(read.body).toEqual({ ...Object(created.body), new_user_group: false });
  });

  test("environments and accounts have separate groups", async () => {
    const { call, keys, strangerKey } = rest();
    const body = { user_group_id: "same", name: "Same" };
    for (const key of [keys.admin, keys.testing, strangerKey]) {
      expect((await call("GET", body, key)).body).toMatchObject({ new_user_group: true });
      expect((await call("GET", body, key)).body).toMatchObject({ new_user_group: false });
    }
  });

  test("a mapping value is matched as external ID first, then as internal ID", async () => {
    const { call, service, account } = rest();
    const writer = {
      ...account,
      accountName: account.name,
      environment: "Customer",
      keyId: 0,
      actor: { keyId: null, name: "test", requestId: null },
      tokenKeyId: "none",
      scope: "admin",
    } as const;
    const sales = await service.services.dataSources.byProvidedId.load(writer, "sales");
    const reply = await call("GET", {
      user_group_id: "internal",
      name: "I",
      mapping: { a: String(sales?.id) },
    });
    expect(reply.body).toMatchObject({ success: 1, new_user_group: true });
  });

  test("IDs and names can have 255 characters of any script", async () => {
    const { call } = rest();
    const longest = "🙂".repeat(255);
    const reply = await call("GET", { user_group_id: longest, name: longest });
    expect(reply.body).toMatchObject({ user_group: { provided_id: longest, name: longest } });
  });
});

describe("403", () => {
  test("an embed key cannot create a group", async () => {
    const { call, keys } = rest();
    expectError(await call("GET", { user_group_id: "forbidden", name: "F" }, keys.embed), 403, {
      code: "forbidden",
      message: "This API key is read-only. Use an API key with `write` scope.",
    });
    expect((await call("PUT", { user_group_id: "forbidden" })).status).toBe(404);
  });
});

test("a read key, whether or not the group exists: the reply would contain the token", async () => {
  const { call, keys } = rest();
  await call("GET", { user_group_id: "unreadable", name: "U" });
  for (const body of [{ user_group_id: "unreadable" }, { user_group_id: "none", name: "N" }, {}]) {
    expectError(await call("GET", body, keys.read), 403, {
      code: "forbidden",
      message:
        "The reply contains the user group's token, which this API key cannot read. Use an API key with `embed` scope.",
    });
  }
});

describe("422", () => {
  test("names an unknown data source and creates nothing", async () => {
    const { call } = rest();
    const mapping = { good: "sales", bad: "nowhere" };
    expectError(await call("GET", { user_group_id: "unmapped", name: "U", mapping }), 422, {
      code: "unknown_data_source",
      message: 'The environment has no data source "nowhere".',
      field: "mapping.bad",
    });
    expect((await call("PUT", { user_group_id: "unmapped" })).status).toBe(404);
  });

  test("treats another account's data source as unknown", async () => {
    const { call, service, strangerKey } = rest();
    const account = await service.createAccount();
    const writer = {
      ...account,
      accountName: account.name,
      environment: "Customer",
      keyId: 0,
      actor: { keyId: null, name: "test", requestId: null },
      tokenKeyId: "none",
      scope: "admin",
    } as const;
    const foreign = await service.services.dataSources.byProvidedId.load(writer, "sales");
    const body = { user_group_id: "foreign", name: "F", mapping: { a: String(foreign?.id) } };
    expect((await call("GET", body, strangerKey)).status).toBe(422);
  });
});

async function fetchText(url: string, key: string, body: unknown): Promise<string> {
  const headers = { authorization: `Token ${key}`, "content-type": "application/json" };
  const reply = await request(url, { method: "GET", headers, body: JSON.stringify(body) });
  return reply.body.text();
}
