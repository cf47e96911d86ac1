import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { createViewer, ViewerError } from "../../clients/typescript/src/browser.js";
import { ViewerDocument } from "../../clients/typescript/src/generated/operations.js";
import { cutOff, hang, reply, startScriptedServer } from "../support/clients/scripted-server.js";

const TOKEN = "ugt_one";
const GROUP = { name: "A", properties: { a: 1 }, mapping: [] };
const viewed = (embedSession: object | null) =>
  reply(200, { data: { viewer: { embedSession, userGroup: GROUP } } });
const SHOWN = viewed(null);
const refuse = (status: number, code: string, headers = {}) =>
  reply(status, { errors: [{ message: "No.", extensions: { code } }] }, headers);

describe("a viewer client", () => {
  test.each([TOKEN, "imported.token/1"])("reads its group with nothing but its token %s", async (token) => {
    const { url, seen } = await startScriptedServer(SHOWN);
    expect(await createViewer({ url: `${url}/`, token }).read()).toEqual({
      ...GROUP,
      variables: { a: 1 },
    });
    expect(seen).toMatchObject([
      { method: "POST", path: "/graphql", headers: { authorization: `Bearer ${token}` } },
    ]);
    expect(seen[0]?.headers.cookie).toBeUndefined();
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ query: String(ViewerDocument) });
  });

  test("merges the variables of its embed session over the properties", async () => {
    const { url } = await startScriptedServer(viewed({ variables: { a: 2, b: { c: null } } }));
    const token = `eyJ.${"x".repeat(8000)}.y`;
    const { properties, variables } = await createViewer({ url, token }).read();
    expect({ properties, variables }).toEqual({ properties: { a: 1 }, variables: { a: 2, b: { c: null } } });
  });

  test.each([
    ["a cut connection", cutOff],
    ["503", refuse(503, "UNAVAILABLE", { "retry-after": "0" })],
    ["a proxy's error page", reply(502, "<html>")],
  ])("retries after %s", async (_name, fault) => {
    const { url, seen } = await startScriptedServer(fault, SHOWN);
    await createViewer({ url, token: TOKEN }).read();
    expect(seen).toHaveLength(2);
  });

  test("does not make the page wait a minute for a rate limit", async () => {
    const { url, seen } = await startScriptedServer(refuse(429, "RATE_LIMITED", { "retry-after": "42" }));
    const failure = createViewer({ url, token: TOKEN }).read();
    await expect(failure).rejects.toMatchObject({ code: "rate_limited", status: 429, retryAfter: 42 });
    expect(seen).toHaveLength(1);
  });

  test("distinguishes no reply from an invalid one", async () => {
    const silent = await startScriptedServer(hang);
    const read = createViewer({ url: silent.url, token: TOKEN, timeoutMs: 50, maxRetries: 0 }).read();
    await expect(read).rejects.toMatchObject({ name: "ViewerError", code: "timeout", status: 0 });
    const { url } = await startScriptedServer(reply(200, "<html>"));
    const garbage = createViewer({ url, token: TOKEN }).read();
    await expect(garbage).rejects.toMatchObject({ code: "unexpected_reply", status: 200 });
    const unreachable = createViewer({ url: "http://127.0.0.1:1", token: TOKEN, maxRetries: 0 }).read();
    await expect(unreachable).rejects.toMatchObject({ code: "network", status: 0 });
  });

  test("stops when its signal is aborted", async () => {
    const { url } = await startScriptedServer(hang);
    const abort = new AbortController();
    const reason = new Error("The page is left.");
    setTimeout(() => abort.abort(reason), 20);
    await expect(createViewer({ url, token: TOKEN }).read({ signal: abort.signal })).rejects.toBe(reason);
  });
});

describe("a rotated token", () => {
  test("is renewed once for concurrent reads, and the new one is stored", async () => {
    const refused = refuse(401, "UNAUTHENTICATED");
    const { url, seen } = await startScriptedServer(refused, refused, SHOWN);
    let renewals = 0;
    const renewToken = async () => {
      renewals += 1;
      return "ugt_two";
    };
    const viewer = createViewer({ url, token: TOKEN, renewToken });
    await Promise.all([viewer.read(), viewer.read()]);
    await viewer.read();
    expect(renewals).toBe(1);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(
      ["one", "one", "two", "two", "two"].map((token) => `Bearer ugt_${token}`),
    );
  });

  test("is renewed only once per read, and not without a renewal function", async () => {
    const { url, seen } = await startScriptedServer(refuse(401, "UNAUTHENTICATED"));
    const renewing = createViewer({ url, token: TOKEN, renewToken: async () => "ugt_two" });
    await expect(renewing.read()).rejects.toThrow(ViewerError);
    expect(seen).toHaveLength(2);
    await expect(createViewer({ url, token: TOKEN }).read()).rejects.toMatchObject({ status: 401 });
    expect(seen).toHaveLength(3);
    const signedOut = new Error("Please sign in.");
    const failing = createViewer({ url, token: TOKEN, renewToken: () => Promise.reject(signedOut) });
    await expect(failing.read()).rejects.toBe(signedOut);
  });
});

test.each([
  ["an API key", { token: "ugk_live_secret" }, /^`token` must /],
  ["nothing", { token: "" }, /^`token` must /],
  ["no address", { url: "groups.example.com" }, /^`url` must /],
  ["a URL of another scheme", { url: "javascript:alert(1)" }, /^`url` must /],
])("rejects %s without sending it", (_name, options, message) => {
  const create = () => createViewer({ url: "https://a.example", token: TOKEN, ...options });
  expect(create).toThrow(message);
  expect(create).not.toThrow(/secret/);
});

test("the browser build is one small file without dependencies", async () => {
  const entry = fileURLToPath(new URL("../../clients/typescript/src/browser.ts", import.meta.url));
  const bundle = await rolldown({ input: entry, platform: "browser" });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  const [{ code, imports, dynamicImports, moduleIds }, ...others] = output;
  expect({ imports, dynamicImports, moduleIds, others }).toEqual({
    imports: [],
    dynamicImports: [],
    moduleIds: [entry],
    others: [],
  });
  expect(code).not.toMatch(/\b(?:process|Buffer|require|global)\b/);
  expect(gzipSync(code).length).toBeLessThan(1_700);
});
