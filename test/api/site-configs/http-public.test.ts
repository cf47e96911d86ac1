import { beforeAll, describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { getSite } from "../../support/site-configs/http.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { keys, run, strangerKey } = graphql;
const textOf = (name: string) => JSON.stringify({ ...goodSite, name });
const statusOf = (name: string) => ({ status: 200, text: textOf(name) });

const put = (site: string, name: string, options: object = {}, key?: string) =>
  changeSite(graphql, "put", { site, text: textOf(name), ...options }, key);

async function setPublic(site: string, isPublic: boolean): Promise<void> {
  const mutation = `mutation ($input: SetSiteConfigVisibilityInput!) {
    setSiteConfigVisibility(input: $input) { siteConfig { isPublic } userErrors { code } }
  }`;
  const { setSiteConfigVisibility } = await run(mutation, { input: { site, isPublic } });
  expect(setSiteConfigVisibility).toEqual({ siteConfig: { isPublic }, userErrors: [] });
}

/** The numbers of the first four revisions that can be read without a key. */
async function openRevisions(site: string): Promise<number[]> {
  const numbers = [1, 2, 3, 4];
  const path = (revision: number) => `${site}?account=${graphql.account.name}&revision=${revision}`;
  const replies = await Promise.all(numbers.map((revision) => getSite(graphql, path(revision), {})));
  for (const { status } of replies) expect([200, 404]).toContain(status);
  return numbers.filter((_, index) => replies[index]?.status === 200);
}

describe("revisions from before a site became public stay private", () => {
  test("when a revision makes it public: public revisions begin with that one", async () => {
    await put("by-put", "secret");
    await put("by-put", "shown", { isPublic: true });
    expect(await openRevisions("by-put")).toEqual([2]);
    // It is public already.
    await put("by-put", "more", { isPublic: true });
    await put("by-put", "most");
    expect(await openRevisions("by-put")).toEqual([2, 3, 4]);
    await setPublic("by-put", true);
    expect(await openRevisions("by-put")).toEqual([2, 3, 4]);
    expect(await getSite(graphql, "by-put?revision=1")).toMatchObject(statusOf("secret"));
  });

  test("when only its visibility changes: public revisions begin with the current one, each time", async () => {
    await put("alone", "one");
    await put("alone", "two");
    await setPublic("alone", true);
    expect(await openRevisions("alone")).toEqual([2]);
    await put("alone", "three", { isPublic: false });
    expect(await openRevisions("alone")).toEqual([]);
    await setPublic("alone", true);
    expect(await openRevisions("alone")).toEqual([3]);
    await setPublic("alone", false);
    await put("alone", "four", { isPublic: true });
    expect(await openRevisions("alone")).toEqual([4]);
  });

  test("a site that was public from the start has no private revisions", async () => {
    await put("begun", "one", { isPublic: true });
    await put("begun", "two");
    expect(await openRevisions("begun")).toEqual([1, 2]);
  });
});

describe("with an API key and parameters", () => {
  const accountName = () => encodeURIComponent(graphql.account.name);

  beforeAll(async () => {
    await put("shared", "own");
    await put("shared", "testing", { isPublic: true }, keys.testing);
    await put("shared", "stranger", { isPublic: true }, strangerKey);
  });

  test("the key's own account and environment are the default", async () => {
    for (const query of [
      "environment=Customer",
      `account=${accountName()}`,
      `account=${accountName()}&environment=Customer`,
    ]) {
      const reply = await getSite(graphql, `shared?${query}`);
      expect(reply).toMatchObject({ ...statusOf("own"), headers: { "cache-control": "private, no-cache" } });
    }
    const authorization = `Token ${keys.testing}`;
    for (const query of ["environment=Testing", `account=${accountName()}&environment=Testing`]) {
      expect(await getSite(graphql, `shared?${query}`, { authorization })).toMatchObject(statusOf("testing"));
    }
  });

  test("a public path returns its site, whatever key is sent", async () => {
    const pathFor = async (key: string) => {
      const { siteConfig } = await run('{ siteConfig(site: "shared") { publicPath } }', {}, key);
      return siteConfig.publicPath.replace("/site-config/", "");
    };
    const stranger = await pathFor(strangerKey);
    for (const [path, name] of [
      [await pathFor(keys.testing), "testing"],
      [stranger, "stranger"],
    ]) {
      expect(await getSite(graphql, path)).toMatchObject({
        ...statusOf(name),
        headers: { "cache-control": "public, no-cache", vary: "authorization" },
      });
    }
    const ownPath = `shared?account=${accountName()}`;
    const asStranger = { authorization: `Token ${strangerKey}` };
    expect(await getSite(graphql, ownPath, asStranger)).toMatchObject({ status: 404 });
    expect(await getSite(graphql, stranger, { authorization: "Token ugk_live_x" })).toMatchObject({
      status: 401,
    });
  });
});

describe("scripts in pages", () => {
  const readable = {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "etag, site-config-revision",
  };

  test("can read public sites and every error", async () => {
    await put("paged", "page", { isPublic: true });
    const account = `account=${encodeURIComponent(graphql.account.name)}`;
    for (const [path, status] of [
      [`paged?${account}`, 200],
      [`paged?${account}&revision=0`, 400],
      ["paged?account=%00", 400],
      ["paged", 401],
      [`nowhere?${account}`, 404],
    ] as const) {
      expect(await getSite(graphql, path, {})).toMatchObject({ status, headers: readable });
    }
    const known = { "if-none-match": "*" };
    expect(await getSite(graphql, `paged?${account}`, known)).toMatchObject({
      status: 304,
      headers: readable,
    });
  });

  test("can read nothing with an API key", async () => {
    for (const authorization of [`Token ${keys.read}`, "Token ugk_live_x"]) {
      const { headers } = await getSite(graphql, "paged", { authorization });
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  test("can send If-None-Match but not a key", async () => {
    const headersSent = {
      origin: "https://docs.example.com",
      "access-control-request-method": "GET",
      "access-control-request-headers": "if-none-match",
    };
    for (const path of ["paged", "paged/"]) {
      const { status, text, headers } = await getSite(graphql, path, headersSent, "OPTIONS");
      expect({ status, text }).toEqual({ status: 204, text: "" });
      expect(headers).toMatchObject({
        allow: "GET, HEAD, PUT, DELETE, OPTIONS",
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "GET, HEAD",
        "access-control-allow-headers": "if-none-match",
        "access-control-max-age": "86400",
      });
    }
  });
});
