import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { createViewer } from "../../clients/typescript/src/browser.js";
import { ViewerDocument } from "../../clients/typescript/src/generated/operations.js";
import { sessionToken } from "../support/clients/fake-page.js";
import { cutOff, hang, reply, startScriptedServer } from "../support/clients/scripted-server.js";

const GROUP = { id: "g", version: 1, name: "A", properties: { a: 1 }, mapping: [] };
const SHOWN = reply(200, { data: { viewer: { userGroup: GROUP } } });
const refuse = (status: number, code: string, headers = {}) =>
  reply(status, { errors: [{ message: "No.", extensions: { code } }] }, headers);
const SESSION = { token: sessionToken() };
const getSession = async () => SESSION;

describe("a viewer client", () => {
  test.each([
    { token: "ugt_one", expiresAt: null },
    { token: "imported.token/1", expiresAt: null },
    { token: sessionToken(), expiresAt: "2026-11-25T12:00:00Z" },
  ])("reads its group with nothing but its token $token", async (session) => {
    const { url, seen } = await startScriptedServer(SHOWN);
    const viewer = createViewer({ url: `${url}/`, getSession: async () => session });
    expect(await viewer.read()).toEqual({ ...GROUP, variables: { a: 1 } });
    expect(seen).toMatchObject([
      { method: "POST", path: "/graphql", headers: { authorization: `Bearer ${session.token}` } },
    ]);
    expect(seen[0]?.headers.cookie).toBeUndefined();
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ query: String(ViewerDocument) });
    expect(await viewer.getToken()).toBe(session.token);
  });

  test("merges the variables of its embed session over the properties", async () => {
    const { url } = await startScriptedServer(SHOWN);
    const token = sessionToken({ variables: { a: 2, é: { c: null, long: "x".repeat(4_000) } } });
    const { properties, variables } = await createViewer({ url, getSession: () => ({ token }) }).read();
    expect(properties).toEqual({ a: 1 });
    expect(variables).toMatchObject({ a: 2, é: { c: null } });
  });

  test("adds the session to requests of GraphQL clients, and repeats them with a new one if it is refused", async () => {
    const refused = refuse(401, "UNAUTHENTICATED");
    const { url, seen } = await startScriptedServer(SHOWN, refused, SHOWN, refused, refused);
    let sessions = 0;
    const viewer = createViewer({
      url,
      getSession() {
        sessions += 1;
        return { token: sessionToken({ n: sessions }) };
      },
    });
    const send = () => viewer.fetch(url, { method: "POST", headers: { "x-a": "1" }, body: "{}" });
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(200);
    await expect(send()).rejects.toMatchObject({ name: "ViewerError", code: "unauthenticated", status: 401 });
    const tokens = [1, 1, 2, 2, 3].map((n) => `Bearer ${sessionToken({ n })}`);
    expect(seen).toMatchObject(
      tokens.map((authorization) => ({ method: "POST", headers: { authorization, "x-a": "1" }, body: "{}" })),
    );
  });

  test.each([
    ["a cut connection", cutOff],
    ["503", refuse(503, "UNAVAILABLE", { "retry-after": "0" })],
    ["a proxy's error page", reply(502, "<html>")],
  ])("retries after %s", async (_name, fault) => {
    const { url, seen } = await startScriptedServer(fault, SHOWN);
    await createViewer({ url, getSession }).read();
    expect(seen).toHaveLength(2);
  });

  test("does not make the page wait a minute for a rate limit", async () => {
    const { url, seen } = await startScriptedServer(refuse(429, "RATE_LIMITED", { "retry-after": "42" }));
    const failure = createViewer({ url, getSession }).read();
    await expect(failure).rejects.toMatchObject({ code: "rate_limited", status: 429, retryAfter: 42 });
    expect(seen).toHaveLength(1);
  });

  test("distinguishes no reply from an invalid one", async () => {
    const silent = await startScriptedServer(hang);
    const read = createViewer({ url: silent.url, getSession, timeoutMs: 50 }).read();
    await expect(read).rejects.toMatchObject({ name: "ViewerError", code: "timeout", status: 0 });
    const { url } = await startScriptedServer(reply(200, "<html>"));
    const garbage = createViewer({ url, getSession }).read();
    await expect(garbage).rejects.toMatchObject({ code: "unexpected_reply", status: 200 });
    const unreachable = createViewer({ url: "http://127.0.0.1:1", getSession }).read();
    await expect(unreachable).rejects.toMatchObject({ code: "network", status: 0 });
  });

  test.each([
    ["service", { getSession }],
    ["page's server", { getSession: () => new Promise<never>(() => undefined) }],
  ])("stops waiting for the %s when its signal is aborted", async (_name, options) => {
    const { url } = await startScriptedServer(hang);
    const abort = new AbortController();
    const reason = new Error("The page is left.");
    setTimeout(() => abort.abort(reason), 20);
    await expect(createViewer({ url, ...options }).read({ signal: abort.signal })).rejects.toBe(reason);
  });
});

const SIGNED_OUT = Object.assign(new Error("Please sign in."), { status: 401 });
test.each<[string, () => unknown, object]>([
  ["nothing", () => undefined, { code: "invalid_session" }],
  [
    "no token",
    () => ({ expiresAt: null }),
    { code: "invalid_session", message: expect.stringContaining("no token") },
  ],
  ["an API key", () => ({ token: "ugk_live_secret", expiresAt: null }), { code: "invalid_session" }],
  [
    "no expiry",
    () => ({ token: "ugt_one" }),
    { code: "invalid_session", message: expect.stringContaining("expiry") },
  ],
  ["a token without lifetime", () => ({ token: sessionToken({ exp: 1_000 }) }), { code: "invalid_session" }],
  ["a token of garbage", () => ({ token: "a.e30x.c", expiresAt: "2026-11-25" }), { code: "invalid_session" }],
  ["an HTML page", () => new Response("<html>"), { code: "invalid_session" }],
  ["a reply with 401", () => Response.json({}, { status: 401 }), { code: "no_session", status: 401 }],
  ["a reply with 404", () => Response.json({}, { status: 404 }), { code: "no_session", status: 404 }],
  [
    "no reply",
    () => new Promise(() => undefined),
    { code: "no_session", message: expect.stringContaining("50 ms") },
  ],
  ["an error", () => Promise.reject(SIGNED_OUT), SIGNED_OUT],
])("a viewer whose `getSession` returns %s says so and sends nothing", async (_name, answer, expected) => {
  const { url, seen } = await startScriptedServer(SHOWN);
  const failure: unknown = await createViewer({ url, timeoutMs: 50, getSession: Object(answer) })
    .read()
    .catch((error: unknown) => error);
  expect(failure).toMatchObject(expected);
  expect(String(failure)).not.toContain("secret");
  expect(seen).toEqual([]);
});

test.each([
  ["no address", { url: "groups.example.com" }, /^`url` must /],
  ["a URL of another scheme", { url: "javascript:alert(1)" }, /^`url` must /],
  ["no function", { getSession: JSON.parse("null") }, /^`getSession` must /],
])("rejects %s", (_name, options, message) => {
  expect(() => createViewer({ url: "https://a.example", getSession, ...options })).toThrow(message);
});

test.each([
  ["browser", 4_500, []],
  ["react", 6_500, ["react"]],
])("the entry %s is small and has no other dependencies", async (name, maxBytes, dependencies) => {
  const entry = fileURLToPath(new URL(`../../clients/typescript/src/${name}.ts`, import.meta.url));
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    external: ["react"],
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  const [{ code, imports, dynamicImports }, ...others] = output;
  expect({ imports, dynamicImports, others }).toEqual({
    imports: dependencies,
    dynamicImports: [],
    others: [],
  });
  expect(code).not.toMatch(/\b(?:process|Buffer|require|global)\b/);
  expect(gzipSync(code).length).toBeLessThan(maxBytes);
});
