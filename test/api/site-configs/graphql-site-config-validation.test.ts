import { expect, test } from "vitest";
import { manyPages } from "../../../packages/site-config/test/documents.js";
import { MAX_SITE_CONFIG_BYTES } from "../../../src/domain/site-configs/site-config.js";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { goodSite } from "../../support/site-configs/store.js";

const { call, mutate, run } = await startGraphql();
const CHECK = `query ($source: SiteConfigSource!, $strict: Boolean) {
  validateSiteConfig(source: $source, strict: $strict) {
    isValid
    errors { code pointer message line column }
    warnings { code pointer message line column }
    notices { code pointer count line column }
  }
}`;
const validate = async (input: Readonly<Record<string, unknown>>) =>
  (await run(CHECK, input)).validateSiteConfig;

test("findings have a code and a pointer, and a position if they concern text", async () => {
  const valid = { isValid: true, errors: [], warnings: [], notices: [] };
  for (const source of [{ document: goodSite }, { text: JSON.stringify(goodSite) }])
    expect(await validate({ source, strict: true })).toEqual(valid);
  const { colors: _, ...invalid } = { ...goodSite, name: "", favicons: "x" };
  expect(await validate({ source: { document: invalid } })).toMatchObject({
    isValid: false,
    errors: [{ pointer: "/name", line: null, column: null }],
    warnings: expect.arrayContaining([expect.objectContaining({ pointer: "/favicons" })]),
  });
  const text = '{\n  "name": "Docs",\n  "navigation": {}\n}';
  const errors = [{ code: "docs_json_format", pointer: "/navigation", line: 3, column: 17 }];
  expect(await validate({ source: { text } })).toMatchObject({ isValid: false, errors });
  expect((await validate({ source: { text }, strict: true })).warnings).toEqual([]);
  const nested = ["b", "c"].map((page) => ({ group: "B", pages: [page] }));
  const document = { ...goodSite, navigation: [{ group: "A", pages: ["a", ...nested] }] };
  const notice = { code: "undocumented_form", pointer: "/navigation/0/pages/1", count: 2 };
  const notices = [{ ...notice, line: null, column: null }];
  expect(await validate({ source: { document }, strict: true })).toEqual({ ...valid, notices });
});

test("requires exactly one of text and document, and an API key", async () => {
  for (const source of [{}, { document: goodSite, text: "{}" }, { document: null }]) {
    expect((await call(CHECK, { source })).body).toMatchObject({
      errors: [
        {
          message: expect.stringContaining('Variable "$source" got invalid value'),
          extensions: { code: "BAD_USER_INPUT" },
        },
      ],
    });
  }
  expect((await call(CHECK, { source: { text: "{}" } }, null)).status).toBe(401);
});

/** Without the document, which takes longer to send than to store. */
const TEXT = "siteConfig { revision text }";
const put = (site: string, source: object): Promise<Data> => mutate("putSiteConfig", { site, source }, TEXT);
const patch = (input: object): Promise<Data> => mutate("patchSiteConfig", input, TEXT);
const tooLarge = (field: string) => ({
  siteConfig: null,
  userErrors: [
    { code: "INVALID_FIELD", field: field.split("."), message: `${field} must be at most 262144 bytes.` },
  ],
});

/** A valid site of a given size on one line. */
function siteOf(size: number): object {
  return { ...goodSite, x: "x".repeat(size - JSON.stringify({ ...goodSite, x: "" }).length) };
}

test("a document's size is measured on one line", async () => {
  const large = { ...goodSite, navigation: manyPages() };
  expect(JSON.stringify(large, null, 2).length).toBeGreaterThan(MAX_SITE_CONFIG_BYTES);
  const largest = siteOf(MAX_SITE_CONFIG_BYTES);
  for (const document of [large, largest]) {
    const { siteConfig, userErrors } = await put("large", { document });
    expect(userErrors).toEqual([]);
    expect(siteConfig.text === JSON.stringify(document)).toBe(true);
  }
  const document = siteOf(MAX_SITE_CONFIG_BYTES + 1);
  expect(await put("large", { document })).toEqual(tooLarge("source.document"));
});

test("a text can have at most 256 KiB, stored or validated", async () => {
  const text = JSON.stringify(goodSite).padEnd(MAX_SITE_CONFIG_BYTES);
  expect((await put("padded", { text })).siteConfig.text).toHaveLength(MAX_SITE_CONFIG_BYTES);
  expect(await put("padded", { text: `${text} ` })).toEqual(tooLarge("source.text"));
  expect(await patch({ site: "padded", patch: { name: "A longer name" } })).toEqual(tooLarge("patch"));
  const query = "query ($source: SiteConfigSource!) { validateSiteConfig(source: $source) { isValid } }";
  expect(await run(query, { source: { text } })).toEqual({ validateSiteConfig: { isValid: true } });
  const document = siteOf(MAX_SITE_CONFIG_BYTES + 1);
  for (const [field, value] of Object.entries({ text: `${text} `, document })) {
    expect(await call(query, { source: { [field]: value } })).toMatchObject({
      body: { errors: [{ extensions: { code: "INVALID_FIELD", field: ["source", field] } }] },
    });
  }
});

test("a patch is rejected if it, or the resulting document, is too large", async () => {
  // The site's existence is not checked for that.
  expect(await patch({ site: "nowhere", patch: siteOf(MAX_SITE_CONFIG_BYTES + 1) })).toEqual(
    tooLarge("patch"),
  );
  await put("grown", { document: siteOf(200_000) });
  expect(await patch({ site: "grown", patch: { y: "y".repeat(70_000) } })).toEqual(tooLarge("patch"));
});
