import { describe, expect, test } from "vitest";
import { type ClientOptions, UserGroupsClient } from "../../../clients/typescript/src/index.js";
import { reply, startScriptedServer } from "../../support/clients/scripted-server.js";

const KEY = `ugk_live_${"k".repeat(40)}`;
const TOKEN = `ugt_${"t".repeat(40)}`;
const GROUP = { team_id: 1, token: TOKEN, name: "A", provided_id: "a", properties: null };
const FOUND = reply(200, { success: 1, new_user_group: false, user_group: GROUP });

function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}): UserGroupsClient {
  return new UserGroupsClient({ baseUrl, apiKey: KEY, ...options });
}

describe("options", () => {
  test.each([
    ["apiKey", { apiKey: TOKEN }],
    ["apiKey", { apiKey: "" }],
    ["baseUrl", { baseUrl: "groups.example.com" }],
    ["baseUrl", { baseUrl: "ftp://groups.example.com" }],
    ["baseUrl", { baseUrl: "https://user:password@groups.example.com" }],
    ["baseUrl", { baseUrl: "http://groups.example.com" }],
    ["baseUrl", { baseUrl: "http://localhost.example.com" }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["maxRetries", { maxRetries: -1 }],
    ["appName", { appName: "a\r\nb" }],
  ])("rejects invalid ones by name: %s, %o", (name, options) => {
    const create = () => new UserGroupsClient({ baseUrl: "https://a.example", apiKey: KEY, ...options });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(new RegExp(`^\`${name}\` must `));
    expect(create).not.toThrow(/t{8}|password@/);
  });

  test.each([
    "http://localhost:4000",
    "http://127.1.2.3",
    "http://[::1]:4000",
    "https://groups.example.com/",
  ])("accepts %s", (baseUrl) => {
    expect(() => clientOf(baseUrl)).not.toThrow();
  });

  test("allows plain http to other hosts if enabled", () => {
    expect(() => clientOf("http://groups.internal", { allowHttp: true })).not.toThrow();
  });

  test("supports a base path and a user agent", async () => {
    const { url, seen } = await startScriptedServer(FOUND);
    await clientOf(`${url}/groups`, { appName: "billing/2.1" }).userGroups.getOrCreate({ userGroupId: "a" });
    expect(seen[0]?.path).toBe("/groups/api/user");
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Token ${KEY}`,
      "user-agent": expect.stringMatching(/^user-groups-client\/\d+\.\d+\.\d+ node\/\d+\S* billing\/2\.1$/),
    });
  });

  test("rejects an idempotency key that is not a valid header", async () => {
    const call = clientOf("http://127.0.0.1:1").userGroups.rotateToken(
      { currentToken: TOKEN },
      { idempotencyKey: "ä" },
    );
    await expect(call).rejects.toThrow(/^`idempotencyKey` must /);
  });
});
