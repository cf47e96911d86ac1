import { describe, expect, test } from "vitest";
import { expectError, useRest, userGroupOf } from "../../support/rest/rest-fixture.js";

const rest = useRest();
const unknownToken = { code: "user_group_not_found", message: "No user group has this token." };

async function create(id: string): Promise<string> {
  return userGroupOf(await rest().call("GET", { user_group_id: id, name: id })).token;
}

describe("200", () => {
  test("returns a new token, with the documented keys in order", async () => {
    const { call } = rest();
    const created = await call("GET", { user_group_id: "acme", name: "Acme", properties: { a: 1 } });
    const { team_id, token } = userGroupOf(created);
    const reply = await call("POST", { current_token: token });
    const rotated = userGroupOf(reply).token;
    expect(reply.status).toBe(200);
    expect(rotated).not.toBe(token);
    expect(JSON.stringify(reply.body)).toBe(
      JSON.stringify({
        success: 1,
        user_group: {
          team_id,
          token: rotated,
          name: "Acme",
          provided_id: "acme",
          api_environment_tag: "Customer",
        },
      }),
    );
    expect(userGroupOf(await call("GET", { user_group_id: "acme" })).token).toBe(rotated);
  });

  test("invalidates the old token; the new one works", async () => {
    const { call } = rest();
    const first = await create("twice");
    const second = userGroupOf(await call("POST", { current_token: first })).token;
    expectError(await call("POST", { current_token: first }), 404, unknownToken);
    expect((await call("POST", { current_token: second })).status).toBe(200);
  });

  test("exactly one of 50 concurrent rotations of one token succeeds", async () => {
    const { call } = rest();
    const token = await create("contested");
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => call("POST", { current_token: token })),
    );
    const winners = replies.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(49);
    const [winner] = winners;
    const left = await call("GET", { user_group_id: "contested" });
    expect(winner && userGroupOf(winner).token).toBe(userGroupOf(left).token);
  });
});

describe("400", () => {
  test("without current_token, rotates nothing and says what to use", async () => {
    const { call } = rest();
    const token = await create("turned");
    const reply = await call("POST", { user_group_id: "turned", name: "Turned" });
    expectError(reply, 400, {
      code: "invalid_field",
      message: expect.stringMatching(/^current_token is required: .*getOrCreateUserGroup/),
      field: "current_token",
    });
    expect(userGroupOf(await call("GET", { user_group_id: "turned" })).token).toBe(token);
  });

  test.each([
    ["current_token must be a string.", { current_token: null }],
    ["current_token must be a string.", { current_token: 5 }],
    ["current_token must not be empty.", { current_token: "" }],
  ])("%s", async (message, body) => {
    expectError(await rest().call("POST", body), 400, {
      code: "invalid_field",
      message,
      field: "current_token",
    });
  });
});

describe("403", () => {
  test("a read key cannot rotate", async () => {
    const { call, keys } = rest();
    const token = await create("read only");
    expectError(await call("POST", { current_token: token }, keys.read), 403, {
      code: "forbidden",
      message: "This API key is read-only. Use an API key with `write` scope.",
    });
    expect((await call("POST", { current_token: token }, keys.write)).status).toBe(200);
  });
});

describe("404", () => {
  test("rotates nothing for any text that is not a group's token", async () => {
    const token = await create("target");
    const other = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
    for (const wrong of [other, token.toLowerCase(), ` ${token}`, "ugt_", "x".repeat(10_000), "\u0000"]) {
      expectError(await rest().call("POST", { current_token: wrong }), 404, unknownToken);
    }
  });

  test("rejects a token of another account or environment", async () => {
    const { call, keys, strangerKey } = rest();
    const token = await create("private");
    for (const key of [strangerKey, keys.testing]) {
      expectError(await call("POST", { current_token: token }, key), 404, unknownToken);
    }
    expect((await call("POST", { current_token: token })).status).toBe(200);
  });
});
