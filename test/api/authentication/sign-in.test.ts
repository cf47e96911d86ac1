import { afterAll, beforeEach, describe, expect, test } from "vitest";
import {
  CONSOLE_SESSION_SECONDS,
  ROLES_VALID_MS,
} from "../../../src/services/authentication/console-sessions.js";
import { olderSession, startIdentityProvider } from "../../support/programs/identity-provider.js";
import { CookieBrowser } from "../../support/rest/cookie-browser.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startService } from "../../support/service/test-service.js";

const ROLES = [
  { claim: "groups", value: "support", account: "demo", scope: "embed" },
  { claim: "groups", value: "platform", account: "demo", scope: "admin" },
  { claim: "groups", value: "platform", account: "other", scope: "read" },
  { claim: "email", value: "eve@example.com", account: "demo", scope: "read" },
] as const;
const SESSION = "user_groups_session";
const SIGN_IN = "user_groups_sign_in";
const VIEWER = "{ viewer { environment scope accountName apiKey { id } } }";

const idp = await startIdentityProvider();
afterAll(() => idp.close());
const identityProvider = idp.options(ROLES);
const service = await startService({ console: true, identityProvider, trustedProxies: ["127.0.0.1"] });
const { url, services } = service;
idp.serve(url);
for (const name of ["demo", "other"]) await services.accounts.ensure(name);

const ADA = { groups: ["platform", "support"], email: "ada@example.com", email_verified: true, name: "Ada" };
let browser = new CookieBrowser();
beforeEach(() => {
  browser = new CookieBrowser();
  Object.assign(idp, { visitor: "ada", isDown: false, hasRefreshTokens: true });
  idp.people.clear();
  idp.people.set("ada", ADA);
  idp.requests.length = 0;
});

describe("signing in", () => {
  test("gives a session for both environments, in a cookie that replaces any other session", async () => {
    const key = await (await service.createAccount()).createKey();
    const { headers } = await callRest(
      `${url}/console/session`,
      "POST",
      undefined,
      { api_key: key.secret },
      {
        "x-console": "session",
      },
    );
    browser.set(url, SESSION, String(headers["set-cookie"]).replace(/^[^=]+=|;.*/g, ""));
    expect(await signIn(`?route=${encodeURIComponent("#/groups/a b".replace(" ", "%20"))}`)).toBe(
      `${url}/console/#/groups/a%20b`,
    );
    expect(browser.received.map((cookie) => cookie.replace(/=[\w.-]{99,}/, "=…"))).toEqual(
      expect.arrayContaining([
        `${SIGN_IN}=…; Max-Age=600; Path=/; HttpOnly; SameSite=Lax`,
        `${SIGN_IN}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`,
        `${SESSION}=…; Max-Age=43200; Path=/; HttpOnly; SameSite=Strict`,
      ]),
    );
    expect((await session("GET")).body).toEqual({
      environments: ["Customer", "Testing"],
      person: { name: "ada@example.com", account: "demo", accounts: ["demo", "other"] },
    });
    for (const environment of ["Customer", "Testing"]) {
      expect((await graphql(VIEWER, environment)).body.data.viewer).toEqual({
        environment: environment.toUpperCase(),
        scope: "ADMIN",
        accountName: "demo",
        apiKey: null,
      });
    }
  });

  test("below a path prefix returns there", async () => {
    const place = await browser.signIn(url, "?console=/groups/console/", `${url}/groups/`);
    expect(place).toMatch(/\/groups\/console\/sign-in\/callback\?code=/);
  });

  test("with an account opens it if the person has a role in it", async () => {
    await signIn("?account=other");
    expect((await graphql(VIEWER)).body.data.viewer).toMatchObject({ accountName: "other", scope: "READ" });
    expect(await signIn("?account=third")).toMatch(failure("forbidden"));
    expect((await graphql(VIEWER)).body.data.viewer).toMatchObject({ accountName: "other" });
    await signIn();
    expect((await graphql(VIEWER)).body.data.viewer).toMatchObject({ accountName: "demo" });
  });

  test.each([
    [{ groups: ["support"] }, "EMBED", "ada"],
    [{ groups: "support", name: " Ada\u202e\n " }, "EMBED", "Ada"],
    [{ groups: ["platform"], email: "a@b.c", email_verified: true }, "ADMIN", "a@b.c"],
    [{ email: "eve@example.com", email_verified: "true" }, "READ", "eve@example.com"],
    [{ groups: ["support"], email: "a@b.c", name: "Ada" }, "EMBED", "Ada"],
    [{ groups: ["support"], email: "a@b.c", email_verified: false, name: "a@b.c" }, "EMBED", "ada"],
    [{ email: "eve@example.com" }, null, null],
    [{ email: ["eve@example.com"], email_verified: true }, null, null],
    [{ groups: ["support"], name: "😀".repeat(300) }, "EMBED", "😀".repeat(255)],
    [{ email: "eve@example.com", email_verified: "false" }, null, null],
    [{ groups: ["Support", "support,platform"] }, null, null],
    [{ groups: { support: true } }, null, null],
    [{}, null, null],
  ])("with the claims %j gives the scope %s to %s", async (claims, scope, name) => {
    idp.people.set("ada", claims);
    const place = await signIn();
    if (scope) {
      expect((await graphql(VIEWER)).body.data.viewer).toMatchObject({ scope });
      expect((await session("GET")).body).toMatchObject({ person: { name } });
    } else {
      expect(place).toMatch(failure("forbidden"));
      expect(browser.get(url, SESSION)).toBeUndefined();
    }
  });

  test("records changes with the person's name and checks the scope", async () => {
    await signIn();
    const create = `mutation { createUserGroup(input: { providedId: "a", name: "A" }) { userErrors { code } } }`;
    expect((await graphql(create)).body.data.createUserGroup.userErrors).toEqual([]);
    const { body } = await graphql("{ auditLog(first: 1) { nodes { action actorName actor { id } } } }");
    expect(body.data.auditLog.nodes).toEqual([
      { action: "USER_GROUP_CREATED", actorName: "ada@example.com", actor: null },
    ]);
    idp.people.set("ada", { groups: ["support"] });
    await signIn();
    expect((await graphql(create)).body).toMatchObject({
      errors: [{ message: "Your role is read-only. Use an API key with `write` scope." }],
    });
    const embed = `mutation { createEmbedSession(input: { by: { providedId: "a" } }) { token } }`;
    const { token } = (await graphql(embed)).body.data.createEmbedSession;
    const own = { authorization: `Bearer ${token}` };
    const read = { query: "{ viewer { userGroup { name } } }" };
    expect((await callRest(`${url}/graphql`, "POST", undefined, read, own)).body).toEqual({
      data: { viewer: { userGroup: { name: "A" } } },
    });
  });
});

describe("a sign-in is refused", () => {
  test.each([
    ["state", (place: string) => place.replace(/state=[^&]+/, "state=x")],
    ["code", (place: string) => place.replace(/code=[^&]+/, "code=x")],
    ["issuer", (place: string) => place.replace(/iss=[^&]+/, "iss=https%3A%2F%2Fevil.example")],
    ["outcome", (place: string) => place.replace(/code=[^&]+/, "error=access_denied")],
  ])("with another %s", async (name, change) => {
    const place = await browser.signIn(url, "", `${url}/console/sign-in/callback`);
    expect(await browser.open(change(place))).toMatch(failure("unauthenticated"));
    expect(browser.get(url, SESSION)).toBeUndefined();
    expect(idp.requests.includes("POST /token")).toBe(name === "code");
  });

  test("with another nonce or code challenge", async () => {
    for (const parameter of ["nonce", "code_challenge"]) {
      const place = await browser.signIn(url, "", idp.url);
      const tampered = place.replace(new RegExp(`(${parameter}=)[^&]{9}`), "$1AAAAAAAAA");
      expect(await browser.open(tampered)).toMatch(failure("unauthenticated"));
      expect(browser.get(url, SESSION)).toBeUndefined();
    }
  });

  test("in another browser, or twice", async () => {
    const place = await browser.signIn(url, "", `${url}/console/sign-in/callback`);
    const other = new CookieBrowser();
    await other.signIn(url, "", idp.url);
    for (const each of [new CookieBrowser(), other]) {
      expect(await each.open(place)).toMatch(failure("unauthenticated"));
      expect(each.get(url, SESSION)).toBeUndefined();
    }
    expect(await browser.open(place)).toBe(`${url}/console/#/`);
    expect(await browser.open(place)).toMatch(failure("unauthenticated"));
  });

  test("with a session's cookie in place of the sign-in's, which is no session either", async () => {
    const place = await browser.signIn(url, "", `${url}/console/sign-in/callback`);
    const pending = browser.get(url, SIGN_IN) ?? "";
    await browser.open(place);
    browser.set(url, SIGN_IN, browser.get(url, SESSION) ?? "");
    browser.set(url, SESSION, pending);
    expect((await session("GET")).body).toEqual({ environments: [] });
    expect(await browser.open(place)).toMatch(failure("unauthenticated"));
  });

  test("without asking the person if the provider would have to", async () => {
    await signIn();
    const silent = new CookieBrowser();
    silent.set(url, SESSION, browser.get(url, SESSION) ?? "");
    expect(await silent.signIn(url, "?silent=true&route=%23/keys")).toMatch(failure("expired", "#/keys"));
    expect(await signIn("?silent=true")).toBe(`${url}/console/#/`);
  });

  test("instead of renewing a session in another account", async () => {
    await signIn("?account=other");
    await signIn("?silent=true&account=other");
    expect((await graphql(VIEWER)).body.data.viewer).toMatchObject({ accountName: "other" });
    idp.people.set("ada", { groups: ["support"] });
    const before = browser.get(url, SESSION);
    expect(await signIn("?silent=true&account=other")).toMatch(failure("forbidden"));
    expect(browser.get(url, SESSION)).toBe(before);
  });

  test.each([
    ["POST", "console", "https://evil.example/console/"],
    ["POST", "console", "//evil.example/console/"],
    ["POST", "console", "/console/?"],
    ["POST", "console", "/\\evil.example/console/"],
    ["POST", "silent", "yes"],
    ...["GET", "POST"].flatMap((method) => [
      [method, "route", "https://evil.example"],
      [method, "route", "//evil.example"],
      [method, "route", "#/ä"],
      [method, "route", `#/${"x".repeat(1000)}`],
      [method, "account", ""],
    ]),
  ])("at %s if %s is %s", async (method = "", name = "", value = "") => {
    const query = new URLSearchParams({ [name]: value });
    const reply = await session(method, `${url}/console/sign-in?${query}`);
    expect(reply).toMatchObject({ status: 400, body: { error: { code: "invalid_field", field: name } } });
  });
});

describe("a link to the sign-in", () => {
  test.each([
    ["?account=other&silent=true&route=%23/keys", "?route=%23%2Fkeys&account=other"],
    ["?account=a%26b%23c", "?route=%23%2F&account=a%26b%23c"],
    ["", "?route=%23%2F"],
  ])("%s opens the console only, wherever it comes from", async (query, opened) => {
    await signIn();
    const before = browser.get(url, SESSION);
    const requests = idp.requests.length;
    for (const site of [undefined, "cross-site", "same-site", "same-origin", "none"]) {
      const headers = { cookie: browser.cookie(url), "sec-fetch-site": site, "x-console": "session" };
      const link = `${url}/console/sign-in${query}`;
      const reply = await callRest(link, "GET", undefined, undefined, headers);
      expect(reply).toMatchObject({ status: 302, headers: { location: `./#/sign-in${opened}` } });
      expect(reply.headers["set-cookie"]).toBeUndefined();
    }
    expect(await browser.open(`${url}/console/sign-in${query}`)).toBe(`${url}/console/#/sign-in${opened}`);
    expect(browser.get(url, SESSION)).toBe(before);
    expect(idp.requests.length).toBe(requests);
  });

  test.each([
    ["without the console's header", { "x-console": undefined }],
    ["as a form of another site", { "x-console": undefined, "sec-fetch-site": "cross-site" }],
    ["from another site", { "sec-fetch-site": "cross-site" }],
    ["from another host of the site", { "sec-fetch-site": "same-site", origin: url }],
    ["that the browser's user entered", { "sec-fetch-site": "none" }],
    ["from another origin, of a browser without Sec-Fetch-Site", { origin: "http://evil.example" }],
    ["from an opaque origin, of a browser without Sec-Fetch-Site", { origin: "null" }],
  ])("begins none, and a POST %s is refused", async (_name, headers) => {
    const reply = await session("POST", `${url}/console/sign-in?account=other`, headers);
    expect(reply).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
    expect(reply.headers["set-cookie"]).toBeUndefined();
  });

  test.each([
    ["https", "groups.example", { "sec-fetch-site": "same-origin", "x-forwarded-proto": "https" }],
    ["http", "localhost:4000", { "sec-fetch-site": "same-origin" }],
    ["http", "groups.example:4000", { origin: "http://groups.example:4000" }],
    ["http", "groups.example", {}],
  ])("and the console begins one at %s://%s with %j", async (protocol, host, headers) => {
    const place = `${url}/console/sign-in?console=/groups/console/`;
    const reply = await session("POST", place, { host, ...headers });
    expect(new URL(reply.body.sign_in_url).searchParams.get("redirect_uri")).toBe(
      `${protocol}://${host}/groups/console/sign-in/callback`,
    );
    expect(String(reply.headers["set-cookie"])).toContain("; HttpOnly;");
  });
});

describe("the role of a session", () => {
  test("is read again after 15 minutes, with what the provider then says", async () => {
    await signIn();
    expect((await refresh()).status).toBe(200);
    expect(idp.requests.filter((each) => each === "POST /token")).toHaveLength(1);
    await age(ROLES_VALID_MS - 60_000);
    expect((await graphql(VIEWER)).status).toBe(200);
    await age(60_000);
    expect((await graphql(VIEWER)).status).toBe(401);
    idp.people.set("ada", { groups: ["support"], name: "Ada" });
    expect(await refresh()).toMatchObject({
      status: 200,
      body: { person: { name: "Ada", accounts: ["demo"] } },
    });
    expect((await graphql(VIEWER)).body.data.viewer).toMatchObject({ scope: "EMBED" });
    // The provider has issued another refresh token.
    await age(ROLES_VALID_MS);
    expect((await refresh()).status).toBe(200);
  });

  test("ends the session once it was removed", async () => {
    await signIn();
    idp.people.set("ada", { groups: [] });
    await age(ROLES_VALID_MS);
    expect(await refresh()).toMatchObject({
      status: 403,
      body: { error: { message: "You no longer have a role in the account demo." } },
    });
    expect(browser.get(url, SESSION)).toBeUndefined();
  });

  test("needs another sign-in without a refresh token, or if the provider refuses it", async () => {
    idp.hasRefreshTokens = false;
    await signIn();
    await age(ROLES_VALID_MS);
    expect((await refresh()).status).toBe(401);
    idp.hasRefreshTokens = true;
    await signIn();
    idp.people.delete("ada");
    await age(ROLES_VALID_MS);
    expect((await refresh()).status).toBe(401);
  });

  test("does not outlast 12 hours", async () => {
    await signIn();
    await age(0, CONSOLE_SESSION_SECONDS * 1000);
    expect((await session("GET")).body).toEqual({ environments: [] });
    expect((await graphql(VIEWER)).status).toBe(401);
    expect((await refresh()).status).toBe(401);
  });

  test("is not read again for another origin", async () => {
    await signIn();
    expect((await refresh({ origin: "https://evil.example" })).status).toBe(403);
    expect((await refresh({ "x-console": undefined })).status).toBe(403);
  });
});

test("without the provider, nobody signs in and roles are not renewed, but API keys work", async () => {
  await signIn();
  await age(ROLES_VALID_MS);
  const place = await browser.signIn(url, "", `${url}/console/sign-in/callback`);
  idp.isDown = true;
  expect(await browser.open(place)).toMatch(failure("unavailable"));
  expect(await refresh()).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } });
  const key = await (await service.createAccount()).createKey();
  const body = { api_key: key.secret };
  expect(
    (await callRest(`${url}/console/session`, "POST", undefined, body, { "x-console": "session" })).status,
  ).toBe(200);
  const logged = service.log.filter((line) => line.includes("sign-in failed"));
  expect(logged.at(-1)).toContain("fetch failed");
  expect(service.log.join()).not.toMatch(/code=|eyJ/);
});

test("signing out ends the session at the provider, too", async () => {
  await signIn();
  const reply = await session("DELETE");
  expect(reply.status).toBe(200);
  const target = new URL(reply.body.sign_out_url);
  expect(target.origin + target.pathname).toBe(`${idp.url}/session/end`);
  expect(Object.fromEntries(target.searchParams)).toEqual({
    client_id: "user-groups",
    post_logout_redirect_uri: `${url}/console/`,
  });
  expect(idp.requests).toContain("POST /token/revocation");
  await signIn();
  idp.isDown = true;
  expect((await session("DELETE")).status).toBe(204);
  expect(browser.get(url, SESSION)).toBeUndefined();
});

async function signIn(query = ""): Promise<string> {
  return browser.signIn(url, query);
}

function failure(reason: string, route = "#/"): RegExp {
  return new RegExp(`^${url}/console/\\?sign-in=${reason}&request=[0-9a-f-]{36}${route}$`);
}

async function age(rolesMs: number, sessionMs = 0): Promise<void> {
  const age = { rolesMs, sessionMs };
  browser.set(url, SESSION, await olderSession(services.consoleSessions, browser.get(url, SESSION), age));
}

type Headers = Readonly<Record<string, string | undefined>>;

async function refresh(headers: Headers = {}) {
  return session("POST", `${url}/console/session/refresh`, headers);
}

async function session(method: string, place = `${url}/console/session`, headers: Headers = {}) {
  const sent = { cookie: browser.cookie(url), "x-console": "session", ...headers };
  const reply = await callRest(place, method, undefined, undefined, sent);
  for (const cookie of [reply.headers["set-cookie"] ?? []].flat()) browser.store(url, cookie);
  return { ...reply, body: Object(reply.body) };
}

async function graphql(query: string, environment = "Customer") {
  const headers = { cookie: browser.cookie(url), "x-console": environment };
  const { status, body } = await callRest(`${url}/graphql`, "POST", undefined, { query }, headers);
  return { status, body: Object(body) };
}
