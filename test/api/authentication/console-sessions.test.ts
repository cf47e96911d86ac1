import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { CONSOLE_SESSION_SECONDS } from "../../../src/services/authentication/console-sessions.js";
import { expectCutOff, followInConsole } from "../../support/graphql/event-stream-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startService, startTestService, type TestAccount } from "../../support/service/test-service.js";

const encryptionKey = randomBytes(32);
const VIEWER = "{ viewer { environment accountName } }";

const options = { encryptionKey, console: true, trustedProxies: ["127.0.0.1"] };
const service = await startService(options);
/** Another process on the same database and keys. */
const replica = await startService({ ...options, use: service });
let account: TestAccount;
let key: { readonly secret: string; readonly id: number };
beforeEach(async () => {
  account = await service.createAccount();
  key = await account.createKey();
});

describe("the session cookie", () => {
  test("cannot be read by scripts or sent by other sites, and does not contain the key", async () => {
    const { status, headers, body } = await signIn(key.secret);
    expect({ status, body }).toEqual({
      status: 200,
      body: { environment: "Customer", environments: ["Customer"] },
    });
    const cookie = String(headers["set-cookie"]);
    expect(cookie).toMatch(
      /^user_groups_session=[\w.-]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie.length).toBeLessThan(4096);
    expect(cookie).not.toContain(key.secret);
  });

  test("is accepted over HTTPS only as set by this host", async () => {
    const https = { "x-forwarded-proto": "https" };
    const cookie = await cookieOf(key.secret, https);
    expect(cookie).toMatch(/^__Host-user_groups_session=/);
    const { headers } = await signIn(key.secret, https);
    expect(headers["set-cookie"]).toMatch(/; Path=\/;.*; Secure/);
    expect((await viewer({ cookie, "x-console": "Customer", ...https })).body.data.viewer).not.toBeNull();
    const planted = cookie.replace("__Host-", "");
    expect((await viewer({ cookie: planted, "x-console": "Customer", ...https })).body).toMatchObject(
      refusal("UNAUTHENTICATED"),
    );
  });

  test("authenticates GraphQL requests on every process", async () => {
    const cookie = await cookieOf(key.secret);
    for (const { url } of [service, replica]) {
      expect(await viewer({ cookie, "x-console": "Customer" }, url)).toEqual({
        status: 200,
        body: { data: { viewer: { environment: "CUSTOMER", accountName: account.name } } },
      });
    }
  });

  test.each([
    ["without the header of the console", { "x-console": undefined }, { data: { viewer: null } }],
    ["from another origin", { origin: "https://evil.example" }, refusal("FORBIDDEN")],
    ["from an opaque origin", { origin: "null" }, refusal("FORBIDDEN")],
    ["from another site, according to the browser", { "sec-fetch-site": "cross-site" }, refusal("FORBIDDEN")],
    ["from another host of the site", { "sec-fetch-site": "same-site" }, refusal("FORBIDDEN")],
    ["that the user entered, not a page", { "sec-fetch-site": "none" }, refusal("FORBIDDEN")],
    ["for an environment without a key", { "x-console": "Testing" }, refusal("UNAUTHENTICATED")],
    ["for an unknown environment", { "x-console": "constructor" }, refusal("UNAUTHENTICATED")],
  ])("does not authenticate a request %s", async (_name, changed, expected) => {
    const cookie = await cookieOf(key.secret);
    const { body } = await viewer({ cookie, "x-console": "Customer", ...changed });
    expect(body).toMatchObject(expected);
  });

  test("is rejected if it was altered, or encrypted under another key", async () => {
    const cookie = await cookieOf(key.secret);
    const altered = cookie.replace(/.(?=.{8}$)/, (other) => (other === "A" ? "B" : "A"));
    const stranger = await startTestService({ use: service, console: true });
    const foreign = await cookieOf(key.secret, {}, stranger.url);
    await stranger.close();
    for (const wrong of [altered, foreign, "user_groups_session=x", "user_groups_session=a.b.c.d.e", ""]) {
      expect((await viewer({ cookie: wrong, "x-console": "Customer" })).status).toBe(401);
      expect((await call("GET", { cookie: wrong })).body).toEqual({ environments: [] });
    }
  });

  test.each([
    [CONSOLE_SESSION_SECONDS - 600, 200],
    [CONSOLE_SESSION_SECONDS + 1, 401],
  ])(
    "with a key that was entered %i s ago is answered with %i, also after another key was added",
    async (age, status) => {
      const signedInAt = Date.now() - age * 1000;
      const old = { keys: { Customer: { secret: key.secret, sessionId: "1", signedInAt } } };
      const cookie = `user_groups_session=${await service.services.consoleSessions.encrypt(old)}`;
      expect((await viewer({ cookie, "x-console": "Customer" })).status).toBe(status);
      const testing = await account.createKey({ environment: "Testing" });
      const renewed = await cookieOf(testing.secret, { cookie });
      expect((await viewer({ cookie: renewed, "x-console": "Customer" })).status).toBe(status);
      expect((await viewer({ cookie: renewed, "x-console": "Testing" })).status).toBe(200);
    },
  );

  test("has event streams that end with it", async () => {
    const signedInAt = Date.now() - CONSOLE_SESSION_SECONDS * 1000 + 3000;
    const session = { keys: { Customer: { secret: key.secret, sessionId: "1", signedInAt } } };
    const cookie = `user_groups_session=${await service.services.consoleSessions.encrypt(session)}`;
    await expectCutOff(await followInConsole(service.url, cookie));
    expect(Date.now()).toBeGreaterThanOrEqual(signedInAt + CONSOLE_SESSION_SECONDS * 1000);
  });

  test("ends with its API key", async () => {
    const cookie = await cookieOf(key.secret);
    await service.services.accounts.revokeKey(key.id);
    await expect.poll(async () => (await viewer({ cookie, "x-console": "Customer" })).status).toBe(401);
  });
});

describe("signing in", () => {
  test("adds the key of the other environment of the same account", async () => {
    const testing = await account.createKey({ environment: "Testing" });
    const cookie = await cookieOf(testing.secret, { cookie: await cookieOf(key.secret) });
    for (const environment of ["Customer", "Testing"]) {
      const { body } = await viewer({ cookie, "x-console": environment });
      expect(body).toMatchObject({ data: { viewer: { environment: environment.toUpperCase() } } });
    }
  });

  test("with a key of another account leaves the first account", async () => {
    const other = await (await service.createAccount()).createKey({ environment: "Testing" });
    const { body } = await signIn(other.secret, { cookie: await cookieOf(key.secret) });
    expect(body).toEqual({ environment: "Testing", environments: ["Testing"] });
  });

  test.each([
    [{ api_key: "ugk_live_wrong" }, {}, 401, { code: "unauthenticated" }],
    [{}, {}, 400, { code: "invalid_field", field: "api_key" }],
    [{ api_key: 1 }, {}, 400, { code: "invalid_field", field: "api_key" }],
    [{ api_key: "x" }, { "x-console": undefined }, 403, { code: "forbidden" }],
    [{ api_key: "x" }, { origin: "https://evil.example" }, 403, { code: "forbidden" }],
  ])("rejects %j with %j", async (content, headers, status, error) => {
    const reply = await call("POST", { "x-console": "session", ...headers }, content);
    expect(reply).toMatchObject({ status, body: { error } });
    expect(reply.headers["set-cookie"]).toBeUndefined();
  });
});

describe("signing out", () => {
  test("deletes the cookie", async () => {
    const { status, headers } = await call("DELETE", { "x-console": "session" });
    expect(status).toBe(204);
    expect(headers["set-cookie"]).toMatch(/^user_groups_session=; Max-Age=0;/);
  });

  test("everywhere ends the sessions of the keys that signed out, but neither those of others nor later ones", async () => {
    const testing = await account.createKey({ environment: "Testing" });
    const stolen = await cookieOf(testing.secret, { cookie: await cookieOf(key.secret) });
    const headers = { "x-console": "session", cookie: await cookieOf(key.secret) };
    expect((await call("DELETE", headers, undefined, `${service.url}/console/sessions`)).status).toBe(204);
    expect((await viewer({ cookie: stolen, "x-console": "Customer" })).status).toBe(401);
    expect((await viewer({ cookie: stolen, "x-console": "Testing" })).status).toBe(200);
    // A key that is added to a stolen session does not revive it.
    const revived = await cookieOf(testing.secret, { cookie: stolen });
    expect((await viewer({ cookie: revived, "x-console": "Customer" })).status).toBe(401);
    const later = await cookieOf(key.secret);
    expect((await viewer({ cookie: later, "x-console": "Customer" })).status).toBe(200);
    expect((await viewer({ authorization: `Token ${key.secret}` })).status).toBe(200);
  });

  test("everywhere is rejected from another origin", async () => {
    const headers = { "x-console": "session", origin: "https://evil.example" };
    expect((await call("DELETE", headers, undefined, `${service.url}/console/sessions`)).status).toBe(403);
  });
});

type Headers = Readonly<Record<string, string | undefined>>;

async function signIn(secret: string, headers: Headers = {}, url = service.url) {
  const content = { api_key: secret };
  return call("POST", { "x-console": "session", ...headers }, content, `${url}/console/session`);
}

/** Signs in. @returns the Cookie header of later requests */
async function cookieOf(secret: string, headers: Headers = {}, url = service.url): Promise<string> {
  const reply = await signIn(secret, headers, url);
  return String(reply.headers["set-cookie"]).split(";", 1)[0] ?? "";
}

async function viewer(headers: Headers, url = service.url) {
  const { status, body } = await call("POST", headers, { query: VIEWER }, `${url}/graphql`);
  return { status, body };
}

async function call(
  method: "GET" | "POST" | "DELETE",
  headers: Headers,
  content?: object,
  url = `${service.url}/console/session`,
) {
  const { body = null, ...reply } = await callRest(url, method, undefined, content, headers);
  return { ...reply, body: Object(body) };
}

function refusal(code: string) {
  return { errors: [{ extensions: { code } }] };
}
