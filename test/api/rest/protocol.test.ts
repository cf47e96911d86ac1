import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { issueApiKey } from "../../../src/domain/accounts/api-key.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError, useRest } from "../../support/rest/rest-fixture.js";
import { mistyped } from "../../support/secrets/mistyped.js";

const rest = useRest({ speed: { keyCacheMs: 0 } });
const missing = {
  code: "unauthenticated",
  message: "The Authorization header is missing. Send `Authorization: Token <API_KEY>`.",
};
const malformed = {
  code: "unauthenticated",
  message: "The Authorization header is invalid. Send `Token <API_KEY>`.",
};
const unknown = { code: "unauthenticated", message: "The API key is unknown, revoked or expired." };

async function callWith(authorization: string | undefined, method = "GET") {
  return callRest(
    `${rest().service.url}/api/user`,
    method,
    undefined,
    { user_group_id: "x" },
    { authorization },
  );
}

describe("401", () => {
  test.each(["GET", "PUT", "POST", "DELETE"])("%s without a key", async (method) => {
    const reply = await callWith(undefined, method);
    expectError(reply, 401, missing);
    expect(reply.headers["www-authenticate"]).toBe('Token realm="user-groups"');
  });

  test("another authentication scheme, or none", async () => {
    const { keys } = rest();
    for (const value of [
      `Bearer ${keys.admin}`,
      keys.admin,
      "Token",
      "Token ",
      `Token ${keys.admin} x`,
      "Basic eA==",
    ]) {
      expectError(await callWith(value), 401, malformed);
    }
  });

  test("an unknown key, well-formed or not", async () => {
    const { account, keys } = rest();
    const neverStored = issueApiKey(account.accountId, "Customer").secret;
    const wrongChecksum = mistyped(keys.admin);
    for (const key of [neverStored, wrongChecksum, "nonsense", `${keys.admin}x`, keys.admin.toUpperCase()]) {
      expectError(await callWith(`Token ${key}`), 401, unknown);
    }
  });

  test("a malformed key takes no statement", async () => {
    const { service } = rest();
    service.statements.length = 0;
    await callWith("Token ugk_live_nonsense");
    expect(service.statements).toEqual([]);
  });

  test("an expired and a revoked key", async () => {
    const { account, service, call } = rest();
    const expired = await account.createKey({ expiresAt: new Date(Date.now() - 1000) });
    const revoked = await account.createKey();
    expect((await call("GET", { user_group_id: "y", name: "Y" }, revoked.secret)).status).toBe(200);
    expect(await service.services.accounts.revokeKey(revoked.id)).toBe(true);
    for (const { secret } of [expired, revoked]) expectError(await callWith(`Token ${secret}`), 401, unknown);
    const lasting = await account.createKey({ expiresAt: new Date(Date.now() + 60_000) });
    expect((await call("GET", { user_group_id: "y" }, lasting.secret)).status).toBe(200);
  });

  test("ignores the scheme's case", async () => {
    const { keys, call } = rest();
    await call("GET", { user_group_id: "x", name: "X" });
    for (const scheme of ["token", "TOKEN", "Token  "]) {
      expect((await callWith(`${scheme} ${keys.admin}`)).status).toBe(200);
    }
  });

  test("takes precedence over errors in the body", async () => {
    const { service } = rest();
    const url = `${service.url}/api/user`;
    expect((await callRest(url, "PUT", undefined, "{", {})).status).toBe(401);
    expect((await callRest(url, "PUT", undefined, "x".repeat(300_000), {})).status).toBe(401);
  });
});

describe("400", () => {
  test.each(["PUT", "POST", "DELETE"])("%s without a body", async (method) => {
    const { service, keys } = rest();
    const reply = await callRest(`${service.url}/api/user`, method, keys.admin);
    const message = "The request has no body. Send a JSON object.";
    expectError(reply, 400, { code: "invalid_json", message });
  });

  test.each([
    ['{"a":1,\n  "b" 2}', "The body is not valid JSON: colon expected at line 2, column 7."],
    ["{'a':1}", "The body is not valid JSON: invalid symbol at line 1, column 2."],
    ['{"a":1}}', "The body is not valid JSON: end of file expected at line 1, column 8."],
    ['{"a":1,}', "The body is not valid JSON: property name expected at line 1, column 8."],
    ['{"a":"\n"}', expect.stringMatching(/^The body is not valid JSON: .* at line 1, column 6\.$/)],
    ["", expect.stringMatching(/^The request has no body\. .* GET\b.*getOrCreateUserGroup`\.$/)],
    [" ", "The body is not valid JSON: value expected at line 1, column 2."],
    ["[]", "The body must be a JSON object."],
    ["null", "The body must be a JSON object."],
    ['"text"', "The body must be a JSON object."],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), "The body is not valid UTF-8 text."],
  ])("%j is not a JSON object", async (body, message) => {
    const { service, keys } = rest();
    const reply = await callRest(`${service.url}/api/user`, "GET", keys.admin, body);
    expectError(reply, 400, { code: "invalid_json", message });
  });

  test("keeps the connection open after a bad body", async () => {
    const { service, keys } = rest();
    const reply = await callRest(`${service.url}/api/user`, "PUT", keys.admin, "{");
    expect(reply.headers["connection"]).not.toBe("close");
  });
});

describe("404", () => {
  test.each(["/", "/api", "/api/users", "/api/user/1", "/%"])("nothing is at %s", async (path) => {
    const { service, keys } = rest();
    const reply = await callRest(`${service.url}${path}`, "GET", keys.admin);
    expectError(reply, 404, { code: "not_found", message: "There is nothing at this path." });
  });
});

describe("405", () => {
  test.each(["PATCH", "OPTIONS", "TRACE", "PROPFIND", "LINK"])(
    "%s, with or without a key",
    async (method) => {
      const { service, keys } = rest();
      for (const path of ["/api/user", "/api/user/"]) {
        for (const key of [undefined, keys.admin]) {
          const reply = await callRest(`${service.url}${path}`, method, key);
          expectError(reply, 405, {
            code: "method_not_allowed",
            message: `${method} is not allowed on this path. Use GET, PUT, POST, DELETE.`,
          });
          expect(reply.headers["allow"]).toBe("GET, PUT, POST, DELETE");
        }
      }
    },
  );

  test("HEAD, whose reply has no body", async () => {
    const reply = await callRest(`${rest().service.url}/api/user`, "HEAD", undefined);
    expect(reply).toMatchObject({
      status: 405,
      body: undefined,
      headers: { allow: "GET, PUT, POST, DELETE" },
    });
  });
});

describe("413", () => {
  test("a body over 1 MiB, with its length announced or not", async () => {
    const { service, keys } = rest();
    const url = `${service.url}/api/user`;
    const filled = (bytes: number) => `{"user_group_id":"big","name":"Big","x":"${"x".repeat(bytes - 43)}"}`;
    expect(filled(1_048_576)).toHaveLength(1_048_576);
    expect((await callRest(url, "GET", keys.admin, filled(1_048_576))).status).toBe(200);
    expectError(await callRest(url, "GET", keys.admin, filled(1_048_577)), 413, {
      code: "payload_too_large",
      message: "The body is larger than 1048576 bytes.",
    });
    expect(await rawChunked(service.url, keys.admin, filled(1_100_000))).toMatch(
      /^HTTP\/1.1 413 .*payload_too_large/s,
    );
  });
});

describe("415", () => {
  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "json",
    "a/b/c",
  ])("%s", async (type) => {
    const { service, keys } = rest();
    const reply = await callRest(`${service.url}/api/user`, "PUT", keys.admin, "{}", {
      "content-type": type,
    });
    expectError(reply, 415, {
      code: "unsupported_media_type",
      message: expect.stringContaining("Content-Type"),
    });
  });
});

describe("request IDs", () => {
  test("a caller's request ID is returned in the header and in errors", async () => {
    const { service, keys } = rest();
    const headers = { "x-request-id": "checkout:42/a.b=c" };
    const reply = await callRest(`${service.url}/api/user`, "PUT", keys.admin, {}, headers);
    expect(reply.headers["x-request-id"]).toBe("checkout:42/a.b=c");
    expect(reply.body).toMatchObject({ error: { request_id: "checkout:42/a.b=c" } });
  });

  test("a request ID that could forge a log line is replaced", async () => {
    const { service, keys } = rest();
    for (const id of ["a b", "x".repeat(129), '"}']) {
      const reply = await callRest(`${service.url}/api/user`, "PUT", keys.admin, {}, { "x-request-id": id });
      expect(reply.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

test("input that is not HTTP gets an answer, too", async () => {
  const answer = await raw(rest().service.url, "NONSENSE\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
  expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\ncache-control: no-store\r\n/);
  expect(answer).toContain("\r\nx-content-type-options: nosniff\r\n");
  expect(JSON.parse(answer.slice(answer.indexOf("{")))).toEqual({
    success: 0,
    error: {
      code: "bad_request",
      message: "The request is not valid HTTP.",
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
  });
});

async function rawChunked(url: string, key: string, body: string): Promise<string> {
  const head = `PUT /api/user HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${key}\r\nContent-Type: application/json\r\n`;
  return raw(
    url,
    `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  );
}

/** Sends bytes over a raw connection. @returns everything received until the server closes it */
async function raw(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.end(text);
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}
