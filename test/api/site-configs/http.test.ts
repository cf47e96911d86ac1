import { createHash } from "node:crypto";
import { request } from "undici";
import { beforeAll, describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";
import { getSite } from "../../support/site-configs/http.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = useGraphql({ speed: { keyCacheMs: 0 } });
/** Formatted by hand. */
const first = `{\n\t"name": "Döcs",\r\n\t"navigation": [{"group": "", "pages": ["a"]}], "n": 1.0\n}\n`;
const second = `${JSON.stringify(goodSite)}\n`;

/** A name that only earlier versions accepted. */
const OLD_NAME = "ünï/côde & more?";

beforeAll(async () => {
  const put = (input: object, key?: string) => changeSite(graphql(), "put", { ...input }, key);
  await put({ site: "docs", text: first });
  await put({ site: "docs", text: second });
  await put({ site: "open", text: first, isPublic: true });
  await put({ site: "renamed", text: second, isPublic: true });
  await graphql().service.query("UPDATE site_config SET site = $1 WHERE site = 'renamed'", [OLD_NAME]);
  await put({ site: "tested", text: second, isPublic: true }, graphql().keys.testing);
});

/** Reads a path, with the read key by default. */
const get = (path: string, headers?: Readonly<Record<string, string>>, method?: "GET" | "HEAD") =>
  getSite(graphql(), path, headers, method);

const tagOf = (text: string) => `"${createHash("sha256").update(text).digest("base64url")}"`;

describe("with an API key", () => {
  test("serves the current document as it was written", async () => {
    const reply = await get("docs");
    expect(reply).toMatchObject({
      status: 200,
      text: second,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "cache-control": "private, no-cache",
        etag: tagOf(second),
        vary: "authorization",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "site-config-revision": "2",
      },
    });
    expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
    expect(reply.headers["x-request-id"]).toEqual(expect.any(String));
  });

  test("serves a revision as immutable", async () => {
    expect(await get("docs?revision=1")).toMatchObject({
      status: 200,
      text: first,
      headers: {
        "cache-control": "private, max-age=31536000, immutable",
        etag: tagOf(first),
        "site-config-revision": "1",
      },
    });
  });

  test("replies 304 for a current ETag", async () => {
    const authorization = `Token ${graphql().keys.read}`;
    for (const tag of ["*", tagOf(second), `W/${tagOf(second)}`, `"x", ${tagOf(first)},${tagOf(second)}`]) {
      const reply = await get("docs", { authorization, "if-none-match": tag });
      expect(reply).toMatchObject({ status: 304, text: "", headers: { etag: tagOf(second) } });
      expect(reply.headers["cache-control"]).toBe("private, no-cache");
    }
    for (const tag of [tagOf(first), '"x"', "x", '"*"', second]) {
      const reply = await get("docs", { authorization, "if-none-match": encodeURI(tag) });
      expect(reply).toMatchObject({ status: 200, text: second });
    }
    expect((await get("docs?revision=1", { authorization, "if-none-match": tagOf(first) })).status).toBe(304);
    // Matches any revision, but there must be one.
    for (const path of ["nowhere", "docs?revision=3"]) {
      expect((await get(path, { authorization, "if-none-match": "*" })).status).toBe(404);
    }
  });

  test("HEAD returns the headers of GET", async () => {
    const { keys } = graphql();
    expect(await get("docs", { authorization: `Token ${keys.read}` }, "HEAD")).toMatchObject({
      status: 200,
      text: "",
      headers: { etag: tagOf(second), "content-length": String(Buffer.byteLength(second)) },
    });
  });

  test("If-Match of another revision is 412, before If-None-Match is considered", async () => {
    const authorization = `Token ${graphql().keys.read}`;
    for (const tag of [tagOf(second), '"2"', "*"]) {
      expect(await get("docs", { authorization, "if-match": tag })).toMatchObject({ status: 200 });
      const both = { authorization, "if-match": tag, "if-none-match": tagOf(second) };
      expect(await get("docs", both)).toMatchObject({ status: 304 });
    }
    for (const method of ["GET", "HEAD"] as const) {
      for (const tag of [tagOf(first), '"1"']) {
        const reply = await get("docs", { authorization, "if-match": tag, "if-none-match": "*" }, method);
        expect(reply).toMatchObject({ status: 412, headers: { "cache-control": "no-store" } });
      }
    }
    expect(await get("docs?revision=1", { authorization, "if-match": tagOf(first) })).toMatchObject({
      status: 200,
    });
    expect(await get("docs", { authorization, "if-match": "x" })).toMatchObject({ status: 400 });
    expect(await get("nowhere", { authorization, "if-match": "*" })).toMatchObject({ status: 404 });
  });

  test("accepts a trailing slash", async () => {
    for (const path of ["docs/", "docs/?revision=2"])
      expect(await get(path)).toMatchObject({ status: 200, text: second });
    expect((await get("docs%2F")).status).toBe(404);
  });

  test("reports what is missing, unknown or forbidden", async () => {
    const { keys, strangerKey, service } = graphql();
    const notFound = { status: 404, text: expect.stringContaining('"site_config_not_found"') };
    expect(await get("nowhere")).toMatchObject(notFound);
    for (const revision of ["3", "2147483647", "2147483648", "9999999999", "9".repeat(400)]) {
      expect(await get(`docs?revision=${revision}`)).toMatchObject(notFound);
    }
    expect(await get("docs", { authorization: `Token ${strangerKey}` })).toMatchObject(notFound);
    expect(await get("docs", { authorization: `Token ${keys.testing}` })).toMatchObject(notFound);
    for (const revision of ["0", "-1", "01", "1.0", "x", "", "1&revision=2"]) {
      expect(await get(`docs?revision=${revision}`)).toMatchObject({
        status: 400,
        text: expect.stringMatching(/"invalid_field".*"field":"revision"/),
      });
    }
    expect(await get("docs", {})).toMatchObject({ status: 401 });
    expect(await get("docs", { authorization: "Token ugk_live_x" })).toMatchObject({ status: 401 });
    for (const site of ["docs%00", "d".repeat(256)]) {
      expect(await get(site)).toMatchObject({
        status: 400,
        text: expect.stringMatching(/"invalid_field".*"field":"site"/),
      });
    }
    for (const method of ["PATCH", "POST"]) {
      const reply = await callRest(`${service.url}/site-config/docs`, method, keys.admin, {});
      expect(reply).toMatchObject({ status: 405, headers: { allow: "PUT, DELETE, GET, HEAD, OPTIONS" } });
    }
  });

  test("rejects a user group token", async () => {
    const { run } = graphql();
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
    const { run, account } = graphql();
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
    const { run, keys, service } = graphql();
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
    const { account } = graphql();
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
      ["account=%00", "account"],
      ["account=", "account"],
      [`account=${"x".repeat(256)}`, "account"],
      ["account=a&account=b", "account"],
    ] as const) {
      expect(await anonymous(`open?${query}`)).toMatchObject({
        status: 400,
        text: expect.stringMatching(`"invalid_field".*"field":"${field}"`),
      });
    }
  });

  test("a site becomes public and private without a new revision", async () => {
    const { run, account } = graphql();
    const set = (isPublic: boolean) =>
      run(
        `mutation ($input: SetSiteConfigVisibilityInput!) { setSiteConfigVisibility(input: $input) {
          siteConfig { isPublic revision } userErrors { code }
        } }`,
        { input: { site: "open", isPublic } },
      );
    const path = `open?account=${account.name}`;
    const payload = (isPublic: boolean) => ({
      setSiteConfigVisibility: {
        siteConfig: { isPublic, revision: 1 },
        userErrors: [],
      },
    });
    expect(await set(false)).toEqual(payload(false));
    expect((await anonymous(path)).status).toBe(404);
    expect(await set(true)).toEqual(payload(true));
    expect((await anonymous(path)).status).toBe(200);
    // A new revision does not change it.
    await changeSite(graphql(), "patch", { site: "open", patch: { name: "Patched" } });
    expect(await anonymous(path)).toMatchObject({ status: 200, headers: { "site-config-revision": "2" } });
  });
});

test("reading takes two statements: the key, the text", async () => {
  const { service, keys } = graphql();
  service.statements.length = 0;
  await get("docs", { authorization: `Token ${keys.read}` });
  expect(service.statements).toHaveLength(2);
});
