import { request as httpRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { issueApiKey } from "../../../src/domain/accounts/api-key.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { exchange } from "../../support/rest/raw-connection.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError } from "../../support/rest/rest-fixture.js";
import { mistyped } from "../../support/secrets/secret-search.js";

const { account, rest: call, keys, service } = await startGraphql({ speed: { keyCacheMs: 0 } });

/** Calls /api/user, or another path, with the admin key unless a header says otherwise. */
const send = (method: string, body?: unknown, headers: object = {}, path = "/api/user") =>
  callRest(`${service.url}${path}`, method, undefined, body, {
    authorization: `Token ${keys.admin}`,
    ...headers,
  });
const sendWith = (authorization: string | undefined, method = "GET") =>
  send(method, { user_group_id: "x" }, { authorization });

describe("401", () => {
  const unknown = "The API key is unknown, revoked or expired.";
  const either = "Send `Token <API_KEY>` or, to GraphQL, `Bearer <embed session or user group token>`.";
  const expect401 = async (authorization: string | undefined, message: string, method = "GET") => {
    const reply = await sendWith(authorization, method);
    expectError(reply, 401, { code: "unauthenticated", message });
    expect(reply.headers["www-authenticate"]).toBe('Token realm="user-groups"');
  };

  test("an unknown key, well-formed or not; a malformed one takes no statement", async () => {
    const neverStored = issueApiKey(account.accountId, "Customer").secret;
    for (const key of [neverStored, `${keys.admin}x`]) await expect401(`Token ${key}`, unknown);
    service.statements.length = 0;
    for (const key of [mistyped(keys.admin), "ugk_live_nonsense"]) await expect401(`Token ${key}`, unknown);
    for (const key of ["nonsense", keys.admin.toUpperCase()])
      await expect401(`Token ${key}`, `The credential is unknown. ${either}`);
    expect(service.statements).toEqual([]);
  });

  test("an expired and a revoked key", async () => {
    const expired = await account.createKey({ expiresAt: new Date(Date.now() - 1000) });
    const revoked = await account.createKey();
    expect((await call("GET", { user_group_id: "y", name: "Y" }, revoked.secret)).status).toBe(200);
    expect(await service.services.accounts.revokeKey(revoked.id)).toBe(true);
    for (const { secret } of [expired, revoked]) await expect401(`Token ${secret}`, unknown);
    const lasting = await account.createKey({ expiresAt: new Date(Date.now() + 60_000) });
    expect((await call("GET", { user_group_id: "y" }, lasting.secret)).status).toBe(200);
  });

  test("ignores the scheme's case", async () => {
    await call("GET", { user_group_id: "x", name: "X" });
    for (const scheme of ["token", "TOKEN", "Token  "])
      expect((await sendWith(`${scheme} ${keys.admin}`)).status).toBe(200);
  });

  test("takes precedence over errors in the body", async () => {
    for (const body of ["{", "x".repeat(300_000)])
      expect((await send("PUT", body, { authorization: undefined })).status).toBe(401);
  });
});

describe("400 and 415", () => {
  const noBody = "The request has no body. Send a JSON object.";
  test.each<readonly [string, string | Buffer | undefined, unknown]>([
    ["PUT", undefined, noBody],
    ["POST", undefined, noBody],
    [
      "DELETE",
      undefined,
      expect.stringMatching(/^The request has no body\. .*`Content-Length`, as node:http/),
    ],
    ["GET", "", expect.stringMatching(/^The request has no body\. .* GET\b.*getOrCreateUserGroup`\.$/)],
    ["GET", '{"a":1,\n  "b" 2}', "The body is not valid JSON: colon expected at line 2, column 7."],
    ["GET", "{'a':1}", "The body is not valid JSON: invalid symbol at line 1, column 2."],
    ["GET", '{"a":1}}', "The body is not valid JSON: end of file expected at line 1, column 8."],
    ["GET", '{"a":1,}', "The body is not valid JSON: property name expected at line 1, column 8."],
    ["GET", '{"a":"\n"}', expect.stringMatching(/^The body is not valid JSON: .* at line 1, column 6\.$/)],
    ["GET", " ", "The body is not valid JSON: value expected at line 1, column 2."],
    ["PUT", "[]", "The body must be a JSON object."],
    ["PUT", "null", "The body must be a JSON object."],
    ["PUT", '"text"', "The body must be a JSON object."],
    ["PUT", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), "The body is not valid UTF-8 text."],
  ])("%s: %j is not a JSON object", async (method, body, message) => {
    const reply = await send(method, body);
    expectError(reply, 400, { code: "invalid_json", message });
    expect(reply.headers["connection"]).not.toBe("close");
  });

  // By timing, the body is read with the request or as another request.
  test.each(["GET", "DELETE"])("%s: node:http sends a body without its length", async (method) => {
    const headers = { authorization: `Token ${keys.admin}`, "content-type": "application/json" };
    const text = await new Promise<string>((resolve, reject) => {
      const sent = httpRequest(
        `${service.url}/api/user`,
        { method, headers, agent: false },
        async (reply) => {
          resolve((await reply.toArray()).join(""));
        },
      );
      sent.on("error", reject).end('{"user_group_id":"x"}');
    });
    expect(JSON.parse(text)).toMatchObject({
      error: {
        message: expect.stringMatching(/^The request (?:has no body|is not valid HTTP)\. .*`Content-Length`/),
      },
    });
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "application/json; charset=utf-16",
    "application/json, text/plain",
    "",
    "a".repeat(5000),
    "json",
    "a/b/c",
  ])("%s is not supported", async (type) => {
    const message = expect.stringContaining("Content-Type");
    const reply = await send("PUT", "{}", { "content-type": type });
    expectError(reply, 415, { code: "unsupported_media_type", message });
  });
});

describe("of media types of JSON, only the documented ones are accepted: a patch of another kind would replace", () => {
  const merge = "application/merge-patch+json";
  const others = [
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+json",
    "application/vnd.api+json",
    "application/ld+json",
    "text/json",
  ];
  const routes = [
    ...["GET", "PUT", "POST", "DELETE"].map((method) => [method, "/api/user"]),
    ["POST", "/api/embed-session"],
    ["POST", "/site-config/validate"],
    ["GET", "/site-config/docs"],
    ["PUT", "/site-config/docs"],
    ["DELETE", "/site-config/docs"],
    ["POST", "/graphql"],
  ];
  test.each(routes)("%s %s", async (method = "", path = "") => {
    const takesPatch = method === "PUT" && path === "/api/user";
    for (const type of takesPatch ? others : [...others, merge]) {
      const reply = await send(
        method,
        '{"user_group_id":"typed","properties":{"b":1}}',
        { "content-type": type },
        path,
      );
      expect(reply, type).toMatchObject({ status: 415 });
      expect(JSON.stringify(reply.body)).toContain(
        `Content-Type: application/json${takesPatch ? ` or ${merge}` : ""}`,
      );
      expect(reply.headers["accept-patch"]).toBe(takesPatch ? merge : undefined);
    }
  });

  test("nothing was changed", async () => {
    const created = { user_group_id: "typed", name: "T", properties: { a: 1 } };
    expect((await call("GET", created)).body).toMatchObject({ new_user_group: true });
    for (const type of others)
      await send("PUT", '{"user_group_id":"typed","properties":{"b":1}}', { "content-type": type });
    expect((await call("GET", created)).body).toMatchObject({ user_group: { properties: { a: 1 } } });
  });
});

test.each<readonly [string, string?]>([
  ["/"],
  ["/%"],
  ["/?path=/api/user"],
  ["/acme"],
  ["/api", "/api/user"],
  ["/API/?a=b", "/api/user"],
  ["/api/user-group", "/api/user-groups"],
  ["/api/user_groups/acme", "/api/user-groups"],
  ["/api/user-settings", "/api/user"],
  ["/api/users/", "/api/user"],
  ["/user", "/api/user"],
  ["/users", "/api/user"],
  ["/v1/user", "/api/user"],
  ["/jwks.json", "/.well-known/jwks.json"],
  ["/graphiql", "/graphql"],
  ["/embed-session", "/api/embed-session"],
  [`/api/user/${"x".repeat(100)}`],
  ["/api/users", "/api/user"],
  ["/api/users?strict", "/api/user"],
  ["/API/User", "/api/user"],
  ["/api/user/1", "/api/user"],
  ["//api/user", "/api/user"],
  ["/api/usr/acme/mapping", "/api/user"],
  ["/api/embed-sessions", "/api/embed-session"],
  ["/graphq", "/graphql"],
  ["/graphql/x", "/graphql"],
  ["/site-config", "/site-config/{site}"],
  ["/site-configs/docs", "/site-config/{site}"],
  ["/site-config/a/b", "/site-config/{site}"],
  ["/healthz"],
  ["/ready", "/readyz"],
  ["/openapi.jsn", "/openapi.json"],
])("404: nothing is at %s, but maybe at %s", async (path, nearest) => {
  const message = `There is nothing at this path.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`;
  expectError(await send("GET", undefined, {}, path), 404, { code: "not_found", message });
});

test.each(["PATCH", "OPTIONS", "TRACE", "PROPFIND", "LINK", "HEAD"])(
  "405: %s, with or without a key",
  async (method) => {
    const message = `${method} is not allowed on this path. Use GET, PUT, POST, DELETE.`;
    for (const path of ["/api/user", "/api/user/"]) {
      for (const headers of [{}, { authorization: undefined }]) {
        const reply = await send(method, undefined, headers, path);
        expect(reply).toMatchObject({ status: 405, headers: { allow: "GET, PUT, POST, DELETE" } });
        if (method === "HEAD") expect(reply.body).toBeUndefined();
        else expectError(reply, 405, { code: "method_not_allowed", message });
      }
    }
  },
);

test("413: a body over 1 MiB, with its length announced or not", async () => {
  const filled = (bytes: number) => `{"user_group_id":"big","name":"Big","x":"${"x".repeat(bytes - 43)}"}`;
  expect(filled(1_048_576)).toHaveLength(1_048_576);
  expect((await send("GET", filled(1_048_576))).status).toBe(200);
  const error = { code: "payload_too_large", message: "The body is larger than 1048576 bytes." };
  expectError(await send("GET", filled(1_048_577)), 413, error);
  const body = filled(1_100_000);
  const head = `PUT /api/user HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${keys.admin}\r\nContent-Type: application/json\r\n`;
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const { answer } = await exchange(service.url, [chunked]);
  expect(answer).toMatch(/^HTTP\/1.1 413 .*payload_too_large/s);
});

test("a caller's request ID is returned in the header and in errors, unless it could forge a log line", async () => {
  const id = "checkout:42/a.b=c";
  expect(await send("PUT", {}, { "x-request-id": id })).toMatchObject({
    headers: { "x-request-id": id },
    body: { error: { request_id: id } },
  });
  for (const forged of ["a b", "x".repeat(129), '"}']) {
    const { headers } = await send("PUT", {}, { "x-request-id": forged });
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  }
});
