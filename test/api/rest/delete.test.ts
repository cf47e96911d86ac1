import { describe, expect, test } from "vitest";
import { expectError, useRest, userGroupOf } from "../../support/rest/rest-fixture.js";

const rest = useRest();

async function create(id: string, mapping: object = {}): Promise<string> {
  return userGroupOf(await rest().call("GET", { user_group_id: id, name: id, mapping })).token;
}

describe("200", () => {
  test("replies only with success and deletes the group with its mapping", async () => {
    const { call } = rest();
    const token = await create("doomed", { a: "sales" });
    const reply = await call("DELETE", { current_token: token });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ success: 1 });
    expect((await call("PUT", { user_group_id: "doomed" })).status).toBe(404);
    expect((await call("POST", { current_token: token })).status).toBe(404);
    expect((await call("GET", { user_group_id: "doomed", name: "Again" })).body).toMatchObject({
      new_user_group: true,
    });
  });

  test("accepts an ID and a data source that match the group", async () => {
    const { call } = rest();
    const token = await create("agreed", { a: "sales", b: "support" });
    const body = { current_token: token, user_group_id: "agreed", data_source_provided_id: "support" };
    expect((await call("DELETE", body)).body).toEqual({ success: 1 });
  });
});

describe("400", () => {
  test.each([
    ["current_token is required.", "current_token", { user_group_id: "x" }],
    ["current_token must be a string.", "current_token", { current_token: ["x"] }],
    ["user_group_id must be a string.", "user_group_id", { current_token: "x", user_group_id: 1 }],
    [
      "user_group_id must not be null; omit it to skip the check.",
      "user_group_id",
      { current_token: "x", user_group_id: null },
    ],
    [
      "data_source_provided_id must not be null; omit it to skip the check.",
      "data_source_provided_id",
      { current_token: "x", data_source_provided_id: null },
    ],
    ["data_source_provided_id must not be empty.", "data_source_provided_id", badSource()],
  ])("%s", async (message, field, body) => {
    expectError(await rest().call("DELETE", body), 400, { code: "invalid_field", message, field });
  });
});

describe("403", () => {
  test("a read key cannot delete", async () => {
    const { call, keys } = rest();
    const token = await create("read only");
    expectError(await call("DELETE", { current_token: token }, keys.read), 403, {
      code: "forbidden",
      message: "This API key is read-only. Use an API key with `write` scope.",
    });
    expect((await call("PUT", { user_group_id: "read only" })).status).toBe(200);
  });
});

describe("404", () => {
  test("an unknown token, or one of another account or environment", async () => {
    const { call, keys, strangerKey } = rest();
    const token = await create("private");
    const unknown = { code: "user_group_not_found", message: "No user group has this token." };
    for (const key of [strangerKey, keys.testing]) {
      expectError(
        await call("DELETE", { current_token: token, user_group_id: "private" }, key),
        404,
        unknown,
      );
    }
    expectError(await call("DELETE", { current_token: "ugt_unknown" }), 404, unknown);
    expect((await call("PUT", { user_group_id: "private" })).status).toBe(200);
  });
});

describe("409", () => {
  test.each([
    ["user_group_id", { user_group_id: "someone else" }],
    ["data_source_provided_id", { data_source_provided_id: "support" }],
    ["data_source_provided_id", { data_source_provided_id: "nowhere" }],
    ["user_group_id", { user_group_id: "someone else", data_source_provided_id: "sales" }],
    ["data_source_provided_id", { user_group_id: "kept", data_source_provided_id: "support" }],
  ])("a mismatched %s, and nothing is deleted: %j", async (field, contradiction) => {
    const { call } = rest();
    const token = await create("kept", { a: "sales" });
    expectError(await call("DELETE", { current_token: token, ...contradiction }), 409, {
      code: "user_group_mismatch",
      message: "The request does not match the identified user group. Nothing was deleted.",
      field,
    });
    expect((await call("PUT", { user_group_id: "kept" })).status).toBe(200);
  });
});

function badSource() {
  return { current_token: "x", data_source_provided_id: "" };
}
