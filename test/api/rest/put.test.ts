import { describe, expect, test } from "vitest";
import { expectError, useRest, userGroupOf } from "../../support/rest/rest-fixture.js";

const rest = useRest();

describe("200", () => {
  test("replies with the documented keys, in order", async () => {
    const { call } = rest();
    const created = await call("GET", { user_group_id: "acme", name: "Acme" });
    const { team_id, token } = userGroupOf(created);
    const reply = await call("PUT", { user_group_id: "acme", name: "Acme Inc.", properties: { a: 1 } });
    expect(reply.status).toBe(200);
    expect(JSON.stringify(reply.body)).toBe(
      JSON.stringify({
        success: 1,
        user_group: {
          team_id,
          token,
          name: "Acme Inc.",
          provided_id: "acme",
          properties: { a: 1 },
          api_environment_tag: "Customer",
        },
      }),
    );
  });

  test("keeps absent fields, clears null ones and replaces objects as a whole", async () => {
    const { call } = rest();
    await call("GET", { user_group_id: "fields", name: "Fields", properties: { a: 1, b: 2 } });
    const properties = async (change: object) =>
      (await call("PUT", { user_group_id: "fields", ...change })).body;
    expect(await properties({})).toMatchObject({
      user_group: { name: "Fields", properties: { a: 1, b: 2 } },
    });
    expect(await properties({ name: "New" })).toMatchObject({
      user_group: { name: "New", properties: { a: 1, b: 2 } },
    });
    expect(await properties({ properties: { c: 3 } })).toMatchObject({
      user_group: { name: "New", properties: { c: 3 } },
    });
    expect(Object(await properties({ properties: { c: 3 } })).user_group.properties).toEqual({ c: 3 });
    expect(await properties({ properties: null })).toMatchObject({
      user_group: { name: "New", properties: null },
    });
  });

  test("replaces and clears the mapping", async () => {
    const { call, service, account } = rest();
    const { team_id } = userGroupOf(
      await call("GET", { user_group_id: "mapped", name: "M", mapping: { a: "sales", b: "support" } }),
    );
    const tenant = { accountId: account.accountId, environment: "Customer" } as const;
    const schemas = async () => {
      const mapping = await service.services.userGroupReader.mappings.load(tenant, team_id);
      return mapping?.map(({ schemaId }) => schemaId);
    };
    expect(await schemas()).toEqual(["a", "b"]);
    await call("PUT", { user_group_id: "mapped", name: "Still mapped" });
    expect(await schemas()).toEqual(["a", "b"]);
    await call("PUT", { user_group_id: "mapped", mapping: { c: "sales" } });
    expect(await schemas()).toEqual(["c"]);
    await call("PUT", { user_group_id: "mapped", mapping: null });
    expect(await schemas()).toEqual([]);
  });

  test("a Testing key sees and tags the Testing group", async () => {
    const { call, keys } = rest();
    await call("GET", { user_group_id: "both", name: "Customer's" });
    await call("GET", { user_group_id: "both", name: "Testing's" }, keys.testing);
    expect((await call("PUT", { user_group_id: "both", name: "Changed" }, keys.testing)).body).toMatchObject({
      user_group: { name: "Changed", api_environment_tag: "Testing" },
    });
    expect((await call("PUT", { user_group_id: "both" })).body).toMatchObject({
      user_group: { name: "Customer's", api_environment_tag: "Customer" },
    });
  });

  test("a write key can update", async () => {
    const { call, keys } = rest();
    await call("GET", { user_group_id: "writable", name: "W" });
    expect((await call("PUT", { user_group_id: "writable", name: "W2" }, keys.write)).status).toBe(200);
  });
});

describe("400", () => {
  test.each([
    ["user_group_id is required.", "user_group_id", { name: "N" }],
    ["name must be a string.", "name", { user_group_id: "invalid", name: null }],
    ["name must not be empty.", "name", { user_group_id: "invalid", name: "" }],
    [
      "properties must be a JSON object or null.",
      "properties",
      { user_group_id: "invalid", properties: "x" },
    ],
    ["mapping.a must be a string.", "mapping.a", { user_group_id: "invalid", mapping: { a: null } }],
  ])("%s", async (message, field, body) => {
    expectError(await rest().call("PUT", body), 400, { code: "invalid_field", message, field });
  });

  test("one invalid field prevents all changes", async () => {
    const { call } = rest();
    await call("GET", { user_group_id: "atomic", name: "Atomic", properties: { a: 1 } });
    expect((await call("PUT", { user_group_id: "atomic", name: "New", properties: 5 })).status).toBe(400);
    expect((await call("PUT", { user_group_id: "atomic" })).body).toMatchObject({
      user_group: { name: "Atomic", properties: { a: 1 } },
    });
  });
});

describe("403", () => {
  test("a read key cannot update", async () => {
    const { call, keys } = rest();
    await call("GET", { user_group_id: "read only", name: "R" });
    expectError(await call("PUT", { user_group_id: "read only", name: "X" }, keys.read), 403, {
      code: "forbidden",
      message: "This API key is read-only. Use an API key with `write` scope.",
    });
  });
});

describe("404", () => {
  test("never creates a group", async () => {
    const { call } = rest();
    for (const body of [
      { user_group_id: "missing" },
      { user_group_id: "missing", name: "M", mapping: { a: "sales" } },
    ]) {
      expectError(await call("PUT", body), 404, {
        code: "user_group_not_found",
        message: "No user group has this ID.",
      });
    }
  });

  test("treats groups of other accounts and environments as missing", async () => {
    const { call, keys, strangerKey } = rest();
    await call("GET", { user_group_id: "private", name: "P" });
    for (const key of [strangerKey, keys.testing]) {
      expect((await call("PUT", { user_group_id: "private", name: "X" }, key)).status).toBe(404);
    }
  });
});

describe("422", () => {
  test("an unknown data source prevents all changes", async () => {
    const { call } = rest();
    await call("GET", { user_group_id: "strict", name: "Strict" });
    expectError(
      await call("PUT", { user_group_id: "strict", name: "New", mapping: { "a.b": "nowhere" } }),
      422,
      {
        code: "unknown_data_source",
        message: 'The environment has no data source "nowhere".',
        field: "mapping.a.b",
      },
    );
    expect((await call("PUT", { user_group_id: "strict" })).body).toMatchObject({
      user_group: { name: "Strict" },
    });
  });
});
