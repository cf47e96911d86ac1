import { expect, test } from "vitest";
import { MAX_SITE_CONFIG_BYTES } from "../../../src/domain/site-configs/site-config.js";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { manyPages } from "../../support/site-configs/documents.js";
import { goodSite } from "../../support/site-configs/store.js";

const { call, mutate, run } = await startGraphql();

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
