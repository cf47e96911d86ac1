import { createHash } from "node:crypto";
import { request } from "undici";
import { beforeAll, describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";
import { getSite } from "../../support/site-configs/http.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql({ speed: { keyCacheMs: 0 } });
const { account, keys, run, service, strangerKey } = graphql;
/** Formatted by hand. */
const first = `{\n\t"name": "Döcs",\r\n\t"navigation": [{"group": "", "pages": ["a"]}], "n": 1.0\n}\n`;
const second = `${JSON.stringify(goodSite)}\n`;

/** A name that only earlier versions accepted. */
const OLD_NAME = "ünï/côde & more?";

beforeAll(async () => {
  const put = (input: object, key?: string) => changeSite(graphql, "put", { ...input }, key);
  await put({ site: "docs", text: first });
  await put({ site: "docs", text: second });
  await put({ site: "open", text: first, isPublic: true });
  await put({ site: "renamed", text: second, isPublic: true });
  await service.query("UPDATE site_config SET site = $1 WHERE site = 'renamed'", [OLD_NAME]);
  await put({ site: "tested", text: second, isPublic: true }, keys.testing);
});

/** Reads a path, with the read key by default. */
const get = (path: string, headers?: Readonly<Record<string, string>>, method?: "GET" | "HEAD") =>
  getSite(graphql, path, headers, method);

const withKey = (headers: Readonly<Record<string, string>> = {}) => ({
  authorization: `Token ${keys.read}`,
  ...headers,
});
const invalid = (field: string) => ({
  status: 400,
  text: expect.stringMatching(`"invalid_field".*"field":"${field}"`),
});
const tagOf = (text: string) => `"${createHash("sha256").update(text).digest("base64url")}"`;

describe("with an API key", () => {
  test("serves the current document as it was written, and its revisions as immutable", async () => {
    const current = {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "private, no-cache",
      etag: tagOf(second),
      vary: "authorization",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "site-config-revision": "2",
      "content-length": String(Buffer.byteLength(second)),
      "x-request-id": expect.any(String),
    };
    for (const path of ["docs", "docs/", "docs?revision=2", "docs/?revision=2"]) {
      const cached = path.includes("?") && { "cache-control": "private, max-age=31536000, immutable" };
      for (const [method, text] of [
        ["GET", second],
        ["HEAD", ""],
      ] as const) {
        const reply = await get(path, withKey(), method);
        expect(reply).toMatchObject({ status: 200, text, headers: { ...current, ...cached } });
        expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
      }
    }
    expect(await get("docs?revision=1")).toMatchObject({
      text: first,
      headers: { etag: tagOf(first), "site-config-revision": "1" },
    });
  });

  test("replies 304 for a current ETag", async () => {
    for (const tag of ["*", tagOf(second), `W/${tagOf(second)}`, `"x", ${tagOf(first)},${tagOf(second)}`]) {
      const reply = await get("docs", withKey({ "if-none-match": tag }));
      const headers = { etag: tagOf(second), "cache-control": "private, no-cache" };
      expect(reply).toMatchObject({ status: 304, text: "", headers });
    }
    for (const tag of [tagOf(first), '"x"', "x", '"*"', second]) {
      const reply = await get("docs", withKey({ "if-none-match": encodeURI(tag) }));
      expect(reply).toMatchObject({ status: 200, text: second });
    }
    expect((await get("docs?revision=1", withKey({ "if-none-match": tagOf(first) }))).status).toBe(304);
    // Matches any revision, but there must be one.
    for (const path of ["nowhere", "docs?revision=3"])
      expect((await get(path, withKey({ "if-none-match": "*" }))).status).toBe(404);
  });

  test.each<readonly [string, string, string | undefined, number]>([
    ["docs", tagOf(second), undefined, 200],
    ["docs", '"2"', undefined, 200],
    ["docs", "*", undefined, 200],
    ["docs", tagOf(second), tagOf(second), 304],
    ["docs", "*", tagOf(second), 304],
    // If-Match is considered before If-None-Match.
    ["docs", tagOf(first), "*", 412],
    ["docs", '"1"', "*", 412],
    ["docs?revision=1", tagOf(first), undefined, 200],
    ["docs", "x", undefined, 400],
    ["nowhere", "*", undefined, 404],
  ])("%s with If-Match %s and If-None-Match %s is %i", async (path, ifMatch, ifNoneMatch, status) => {
    const headers = withKey({ "if-match": ifMatch, ...(ifNoneMatch && { "if-none-match": ifNoneMatch }) });
    for (const method of ["GET", "HEAD"] as const)
      expect((await get(path, headers, method)).status).toBe(status);
  });

  test("reports what is missing, unknown or forbidden", async () => {
    const notFound = { status: 404, text: expect.stringContaining('"site_config_not_found"') };
    for (const revision of ["3", "2147483647", "2147483648", "9999999999", "9".repeat(400)])
      expect(await get(`docs?revision=${revision}`)).toMatchObject(notFound);
    for (const path of ["nowhere", "docs%2Fx"]) expect(await get(path)).toMatchObject(notFound);
    for (const key of [strangerKey, keys.testing])
      expect(await get("docs", { authorization: `Token ${key}` })).toMatchObject(notFound);
    for (const headers of [{}, { authorization: "Token ugk_live_x" }])
      expect(await get("docs", headers)).toMatchObject({ status: 401 });
    const revisions = ["0", "-1", "01", "1.0", "x", "", "1&revision=2"].map(
      (text) => `docs?revision=${text}`,
    );
    for (const [field, paths] of [
      ["revision", revisions],
      ["site", ["docs%00", "d".repeat(256)]],
      ["environment", ["docs?environment=Testing", "docs?environment=Live", "docs?account=a&environment="]],
      ["account", ["docs?account=%00", "docs?account=", "docs?account=a&account=b"]],
    ] as const) {
      for (const path of paths) expect(await get(path)).toMatchObject(invalid(field));
    }
    const both = "docs?environment=Live&account=&revision=0";
    expect(JSON.parse((await get(both)).text).error.fields).toEqual([
      { field: "environment", message: "environment must be Customer or Testing." },
      { field: "account", message: "account must not be empty." },
      { field: "revision", message: "revision must be a positive integer." },
    ]);
    for (const method of ["PATCH", "POST"]) {
      const reply = await callRest(`${service.url}/site-config/docs`, method, keys.admin, {});
      expect(reply).toMatchObject({ status: 405, headers: { allow: "GET, HEAD, PUT, DELETE, OPTIONS" } });
    }
  });

  test("rejects a user group token", async () => {
    const { getOrCreateUserGroup } = await run(
      'mutation { getOrCreateUserGroup(input: { providedId: "g", name: "G" }) { userGroup { token } } }',
    );
    const { token } = getOrCreateUserGroup.userGroup;
    expect((await get("open", { authorization: `Bearer ${token}` })).status).toBe(401);
  });
});

describe("without an API key", () => {
  const anonymous = (path: string) => get(path, {});

  test("serves a public site to everyone who names its account", async () => {
    const { siteConfig } = await run('{ siteConfig(site: "open") { isPublic publicPath } }');
    expect(siteConfig).toEqual({
      isPublic: true,
      publicPath: `/site-config/open?account=${account.name.replaceAll(" ", "+")}`,
    });
    expect(await anonymous(`open?account=${account.name}`)).toMatchObject({
      status: 200,
      text: first,
      headers: { "cache-control": "public, no-cache", "access-control-allow-origin": "*" },
    });
    expect(await anonymous(`open?account=${account.name}&revision=1`)).toMatchObject({
      headers: { "cache-control": "public, max-age=300" },
    });
  });

  test("serves the path that GraphQL returns, in both environments and for any name", async () => {
    for (const [site, key] of [
      [OLD_NAME, keys.admin],
      ["tested", keys.testing],
    ] as const) {
      const query = "query ($site: String) { siteConfig(site: $site) { publicPath } }";
      const { siteConfig } = await run(query, { site }, key);
      const reply = await request(`${service.url}${siteConfig.publicPath}`);
      expect(await reply.body.text()).toBe(second);
    }
  });

  test("returns 404 for all other sites", async () => {
    const replies = [
      await anonymous(`docs?account=${account.name}`),
      await anonymous(`nowhere?account=${account.name}`),
      await anonymous("open?account=nobody"),
      await anonymous(`open?account=${account.name}&environment=Testing`),
      await anonymous(`open?account=${account.name}&revision=2`),
      await anonymous(`open?account=${account.name}&revision=9999999999`),
    ];
    const [body] = replies.map(({ text }) => text.replace(/"request_id":"[^"]*"/, ""));
    for (const { status, text } of replies) {
      expect(status).toBe(404);
      expect(text.replace(/"request_id":"[^"]*"/, "")).toBe(body);
    }
    for (const [query, field] of [
      [`account=${account.name}&environment=Live`, "environment"],
      [`account=${"x".repeat(256)}`, "account"],
    ] as const) {
      expect(await anonymous(`open?${query}`)).toMatchObject(invalid(field));
    }
  });
});

test("reading takes two statements: the key, the text", async () => {
  service.statements.length = 0;
  await get("docs");
  expect(service.statements).toHaveLength(2);
});
