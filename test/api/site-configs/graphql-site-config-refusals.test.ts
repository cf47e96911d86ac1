import { expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = useGraphql();
const put = (input: object, key?: string) => changeSite(graphql(), "put", { ...input }, key);
const patch = (input: object) => changeSite(graphql(), "patch", { ...input });
const restore = (input: object) => changeSite(graphql(), "restore", { ...input });

test("unknown sites and missing scopes are rejected", async () => {
  const { call, keys } = graphql();
  const missing = { siteConfig: null, userErrors: [{ code: "SITE_CONFIG_NOT_FOUND", field: ["site"] }] };
  expect(await patch({ site: "nowhere", patch: {} })).toMatchObject(missing);
  expect(await restore({ site: "nowhere", revision: 1 })).toMatchObject(missing);
  expect(await put({ site: "", document: goodSite })).toMatchObject({
    userErrors: [{ code: "INVALID_FIELD", field: ["site"] }],
  });
  expect(await put({ document: goodSite, expectedRevision: -1 })).toMatchObject({
    userErrors: [{ code: "INVALID_FIELD", field: ["expectedRevision"] }],
  });
  const mutations = [
    ['putSiteConfig(input: { source: { text: "{}" } })'],
    ["patchSiteConfig(input: { patch: {} })"],
    ["restoreSiteConfig(input: { revision: 1 })"],
    ["setSiteConfigVisibility(input: { isPublic: true })"],
  ];
  for (const [mutation] of mutations) {
    expect(await call(`mutation { ${mutation} { siteConfig { id } } }`, {}, keys.read)).toMatchObject({
      body: { errors: [{ extensions: { code: "FORBIDDEN" } }] },
    });
  }
});

test("numbers that would lose precision are rejected in a document and cause a warning in a text", async () => {
  const { call } = graphql();
  const input = `{ site: "numbers", source: { document: { name: "N", navigation: [{ group: "", pages: ["a"] }], big: 12345678901234567891 } } }`;
  const literal = `mutation { putSiteConfig(input: ${input}) { siteConfig { id } userErrors { code field } } }`;
  expect(await call(literal)).toMatchObject({
    body: {
      data: { putSiteConfig: { siteConfig: null, userErrors: [{ field: ["source", "document", "big"] }] } },
    },
  });
  expect(
    await put({
      site: "numbers",
      text: '{"name":"N","navigation":[{"group":"","pages":["a"]}],"2":12345678901234567891}',
    }),
  ).toMatchObject({
    siteConfig: { revision: 1 },
    report: { warnings: expect.arrayContaining([{ code: "inexact_number", pointer: "/2" }]) },
  });
  expect(
    await put({ site: "numbers", text: '{"name":"N","navigation":[{"group":"","pages":["a"]}],"2":1e999}' }),
  ).toMatchObject({
    siteConfig: null,
    report: { errors: [{ code: "number_too_large", pointer: "/2" }] },
    userErrors: [{ code: "INVALID_SITE_CONFIG", field: ["source", "text"] }],
  });
});

test("the environments of an account and other accounts are separate", async () => {
  const { run, keys, strangerKey } = graphql();
  await put({ site: "batchKey", document: goodSite });
  await put({ site: "batchKey", document: { ...goodSite, name: "Test" } }, keys.testing);
  await put({ site: "batchKey", document: { ...goodSite, name: "Stranger" } }, strangerKey);
  const name = async (key?: string) =>
    (await run('{ siteConfig(site: "batchKey") { revision settings { name } } }', {}, key)).siteConfig;
  expect(await name()).toEqual({ revision: 1, settings: { name: "Docs" } });
  expect(await name(keys.testing)).toEqual({ revision: 1, settings: { name: "Test" } });
  expect(await name(strangerKey)).toEqual({ revision: 1, settings: { name: "Stranger" } });
});
