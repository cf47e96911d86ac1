import { inspect } from "node:util";
import { Agent, fetch as fetchWith } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { pauseUnlessAborted } from "../../../clients/typescript/src/abort.js";
import {
  type ClientOptions,
  ConnectionError,
  RateLimitError,
  ServiceError,
  TimeoutError,
  UnexpectedReplyError,
  UserGroupsClient,
} from "../../../clients/typescript/src/index.js";
import { retryDelayMs } from "../../../clients/typescript/src/retry.js";
import {
  type Answer,
  closeMidReply,
  cutOff,
  hang,
  makeCertificate,
  refuse,
  reply,
  startScriptedServer,
  startSecureServer,
} from "../../support/clients/scripted-server.js";

const KEY = `ugk_live_${"k".repeat(40)}`;
const TOKEN = `ugt_${"t".repeat(40)}`;
const GROUP = { teamId: 1, token: TOKEN, name: "A", providedId: "a", properties: null };
const found = (change = {}) =>
  reply(200, {
    data: { getOrCreateUserGroup: { isNew: false, userGroup: { ...GROUP, ...change }, userErrors: [] } },
  });
const FOUND = found();
const ROTATED = reply(200, { data: { rotateUserGroupToken: { userGroup: GROUP, userErrors: [] } } });
const DELETED = reply(200, { data: { deleteUserGroup: { userErrors: [] } } });
const GONE = reply(200, {
  data: { deleteUserGroup: { userErrors: [{ code: "USER_GROUP_NOT_FOUND", message: "No.", field: null }] } },
});
const GARBLED: Answer = (response) => void response.socket?.end(`HTTP/1.1 200 OK\r\nbad ${TOKEN}`);

function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}): UserGroupsClient {
  return new UserGroupsClient({ baseUrl, apiKey: KEY, ...options });
}

/** The error of a failed call. */
async function failureOf(call: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  return call.then(
    () => expect.unreachable("The call should have failed."),
    (error) => error,
  );
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
    await clientOf(`${url}/groups`, { appName: "billing/2.1" }).userGroups.getOrCreate({ providedId: "a" });
    expect(seen[0]?.path).toBe("/groups/graphql");
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Token ${KEY}`,
      "user-agent": expect.stringMatching(/^user-groups-client\/\d+\.\d+\.\d+ billing\/2\.1$/),
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

describe("a call is retried", () => {
  test.each([
    ["a cut connection", cutOff],
    ["an incomplete reply", closeMidReply],
    ["503", refuse(503, "unavailable", { "retry-after": "0" })],
    ["a temporary 503", refuse(503, "unavailable", { "retry-after": new Date().toUTCString() })],
    ["500", refuse(500, "internal")],
    ["429", refuse(429, "rate_limited", { "retry-after": "0" })],
    ["a proxy's error page", reply(502, "<html>Bad Gateway</html>")],
    ["a request in progress with the same key", refuse(409, "idempotency_key_in_use")],
  ])("after %s", async (_name, fault) => {
    const { url, seen } = await startScriptedServer(fault, FOUND);
    await expect(clientOf(url).userGroups.getOrCreate({ providedId: "a" })).resolves.toMatchObject({
      teamId: 1,
    });
    expect(seen.map(({ method, path }) => [method, path])).toEqual([
      ["POST", "/graphql"],
      ["POST", "/graphql"],
    ]);
    expect(seen[1]?.body).toBe(seen[0]?.body);
  });

  test("after a timeout", async () => {
    const { url, seen } = await startScriptedServer(hang, FOUND);
    await clientOf(url, { timeoutMs: 100 }).userGroups.getOrCreate({ providedId: "a" });
    expect(seen).toHaveLength(2);
  });

  test("with the same idempotency key, which differs between calls", async () => {
    const { url, seen } = await startScriptedServer(cutOff, ROTATED);
    const { userGroups } = clientOf(url);
    await userGroups.rotateToken({ currentToken: TOKEN });
    await userGroups.rotateToken({ currentToken: TOKEN });
    const keys = seen.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0], expect.any(String)]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test("no earlier than the service asks", async () => {
    const { url } = await startScriptedServer(refuse(503, "unavailable", { "retry-after": "1" }), FOUND);
    const start = performance.now();
    await clientOf(url).userGroups.getOrCreate({ providedId: "a" });
    expect(performance.now() - start).toBeGreaterThanOrEqual(995);
  });

  test("up to the maximum number of attempts", async () => {
    const { url, seen } = await startScriptedServer(refuse(503, "unavailable", { "retry-after": "0" }));
    const call = clientOf(url, { maxRetries: 1 }).userGroups.getOrCreate({ providedId: "a" });
    await expect(call).rejects.toThrow(ServiceError);
    expect(seen).toHaveLength(2);
  });

  test("up to the maximum duration", async () => {
    const { url, seen } = await startScriptedServer(refuse(429, "rate_limited", { "retry-after": "30" }));
    const { userGroups } = clientOf(url);
    const failure = await failureOf(userGroups.getOrCreate({ providedId: "a" }, { maxElapsedMs: 5_000 }));
    expect(failure).toBeInstanceOf(RateLimitError);
    expect(failure).toMatchObject({ retryAfter: 30, requestId: "r-1" });
    expect(seen).toHaveLength(1);
    const { url: silent } = await startScriptedServer(hang);
    const impatient = clientOf(silent, { maxElapsedMs: 150 }).userGroups.getOrCreate({ providedId: "a" });
    expect(await failureOf(impatient)).toBeInstanceOf(TimeoutError);
  });
});

describe("a call is not retried", () => {
  test.each([
    [400, "invalid_field"],
    [401, "unauthenticated"],
    [403, "forbidden"],
    [404, "user_group_not_found"],
    [409, "user_group_mismatch"],
    [422, "unknown_data_source"],
    [418, "a_code_of_a_later_version"],
  ])("after %s %s", async (status, code) => {
    const { url, seen } = await startScriptedServer(refuse(status, code));
    const failure = await failureOf(clientOf(url).userGroups.update({ providedId: "a" }));
    expect(failure).toMatchObject({ status, code, requestId: "r-1" });
    expect(seen).toHaveLength(1);
  });

  test.each([
    ["a reply that is not JSON", reply(200, "<!doctype html>")],
    ["unexpected JSON", reply(200, { ok: true })],
    ["a success without its data", reply(200, { data: null })],
    [
      "neither a group nor an error",
      reply(200, { data: { getOrCreateUserGroup: { userGroup: null, userErrors: [] } } }),
    ],
    ["a redirect", reply(302, "", { location: "https://evil.example.com/" })],
  ])("after %s, which is reported as such", async (_name, answer) => {
    const { url, seen } = await startScriptedServer(answer);
    const failure = await failureOf(clientOf(url).userGroups.getOrCreate({ providedId: "a" }));
    expect(failure).toBeInstanceOf(UnexpectedReplyError);
    expect(seen).toHaveLength(1);
  });

  test("once it is aborted, while waiting for a reply or for a retry", async () => {
    for (const answer of [hang, refuse(503, "unavailable", { "retry-after": "20" })]) {
      const { url } = await startScriptedServer(answer);
      const reason = new Error("The customer left.");
      const abort = new AbortController();
      const call = clientOf(url).userGroups.getOrCreate({ providedId: "a" }, { signal: abort.signal });
      setTimeout(() => abort.abort(reason), 50);
      expect(await failureOf(call)).toBe(reason);
    }
  });
});

describe("a deletion", () => {
  test("is retried with its idempotency key to receive the lost reply", async () => {
    const { url, seen } = await startScriptedServer(cutOff, DELETED);
    await clientOf(url).userGroups.delete({ currentToken: TOKEN });
    const keys = seen.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
  });

  test.each([
    ["a lost reply", cutOff],
    ["an incomplete reply", closeMidReply],
    ["503", refuse(503, "unavailable", { "retry-after": "0" })],
    ["a proxy's error page", reply(502, "<html>Bad Gateway</html>")],
  ])("that finds no group after %s returns that nothing was deleted", async (_name, fault) => {
    const { url } = await startScriptedServer(fault, GONE);
    await expect(clientOf(url).userGroups.delete({ currentToken: TOKEN })).rejects.toMatchObject({
      name: "NotFoundError",
      code: "user_group_not_found",
    });
  });
});

test("verifies the certificate over https, against known or configured authorities", async (context) => {
  const certificate = await makeCertificate();
  if (!certificate) context.skip("There is no openssl to make a certificate with.");
  else {
    const { url } = await startSecureServer(certificate, FOUND);
    const client = clientOf(url, { maxRetries: 0 });
    expect(await failureOf(client.userGroups.getOrCreate({ providedId: "a" }))).toMatchObject({
      name: "ConnectionError",
      cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
    });
    const dispatcher = new Agent({ connect: { ca: certificate.cert } });
    onTestFinished(() => dispatcher.close());
    const group = await clientOf(url, {
      fetch: (url, init) => fetchWith(String(url), Object({ ...init, dispatcher })),
    }).userGroups.getOrCreate({
      providedId: "a",
    });
    expect(group.providedId).toBe("a");
  }
});

test("a closed client aborts calls in flight and rejects new ones", async () => {
  const { url } = await startScriptedServer(hang);
  const client = clientOf(url);
  const call = client.userGroups.getOrCreate({ providedId: "a" });
  setTimeout(() => client.close(), 50);
  await expect(call).rejects.toThrow("The client is closed. Create a new one.");
  await expect(client.request("{ a }")).rejects.toThrow("The client is closed. Create a new one.");
});

test("retry delays grow up to a maximum, with jitter, and respect Retry-After", () => {
  expect([1, 2, 3, 6, 20].map((retry) => retryDelayMs(retry, undefined, 1))).toEqual([
    250, 500, 1000, 8000, 8000,
  ]);
  expect(retryDelayMs(5, undefined, 0)).toBe(0);
  expect(retryDelayMs(1, 3, 0.5)).toBe(3125);
});

test("a delay longer than the maximum timer works", async () => {
  await expect(pauseUnlessAborted(2 ** 40, AbortSignal.timeout(50))).rejects.toMatchObject({
    name: "TimeoutError",
  });
});

test("errors and the inspected client contain neither key nor token", async () => {
  const { url } = await startScriptedServer(
    cutOff,
    closeMidReply,
    GARBLED,
    reply(200, `${KEY} ${TOKEN}`),
    refuse(401, "unauthenticated"),
  );
  const client = clientOf(url, { maxRetries: 0 });
  const unreachable = clientOf("http://127.0.0.1:1", { maxRetries: 0 });
  const failures = [
    ...(await Promise.all(
      [1, 2, 3, 4, 5].map(() => failureOf(client.userGroups.rotateToken({ currentToken: TOKEN }))),
    )),
    await failureOf(unreachable.userGroups.rotateToken({ currentToken: TOKEN })),
    await failureOf(client.request("{ a }", { token: TOKEN })),
  ];
  expect(failures[5]).toBeInstanceOf(ConnectionError);
  const shown = [client, ...failures].flatMap((each) => [
    inspect(each, { depth: 10, showHidden: true, getters: true }),
    JSON.stringify(each),
    String(each),
  ]);
  for (const text of shown) expect(text).not.toMatch(/k{8}|t{8}|(?:74 ){8}/);
});
