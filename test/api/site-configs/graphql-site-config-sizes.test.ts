import { expect, test } from "vitest";
import { MAX_SITE_CONFIG_BYTES } from "../../../src/domain/site-configs/site-config.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { deepZeros, manyPages } from "../../support/site-configs/documents.js";
import { goodSite } from "../../support/site-configs/store.js";

const graphql = useGraphql();

/** Without the document, which takes longer to send than to store. */
const PAYLOAD = "{ siteConfig { revision text } userErrors { code field message } }";

async function put({ site, document }: { readonly site: string; readonly document: object }) {
  const mutation = `mutation ($input: PutSiteConfigInput!) { putSiteConfig(input: $input) ${PAYLOAD} }`;
  return (await graphql().run(mutation, { input: { site, source: { document } } })).putSiteConfig;
}

async function patch(input: object) {
  const mutation = `mutation ($input: PatchSiteConfigInput!) { patchSiteConfig(input: $input) ${PAYLOAD} }`;
  return (await graphql().run(mutation, { input })).patchSiteConfig;
}

/** A valid site of a given size on one line. */
function siteOf(size: number): object {
  return { ...goodSite, x: "x".repeat(size - JSON.stringify({ ...goodSite, x: "" }).length) };
}

test("a document's size is measured on one line", async () => {
  const large = { ...goodSite, navigation: manyPages() };
  expect(JSON.stringify(large, null, 2).length).toBeGreaterThan(MAX_SITE_CONFIG_BYTES);
  const largest = siteOf(MAX_SITE_CONFIG_BYTES);
  for (const document of [large, largest]) {
    const { siteConfig, userErrors } = await put({ site: "large", document });
    expect(userErrors).toEqual([]);
    expect(siteConfig.text === JSON.stringify(document)).toBe(true);
  }
  expect(await put({ site: "large", document: siteOf(MAX_SITE_CONFIG_BYTES + 1) })).toEqual({
    siteConfig: null,
    userErrors: [
      {
        code: "INVALID_FIELD",
        field: ["source", "document"],
        message: "source.document must be at most 262144 bytes.",
      },
    ],
  });
});

test("a document that indentation would make too large is stored on one line, put or patched", async () => {
  const zeros = deepZeros();
  const { siteConfig } = await put({ site: "deep", document: { ...goodSite, zeros } });
  expect(siteConfig.text === JSON.stringify({ ...goodSite, zeros })).toBe(true);
  await put({ site: "patched", document: goodSite });
  const patched = await patch({ site: "patched", patch: { zeros } });
  const text = JSON.stringify(goodSite, null, 2).replace(
    /\n\}$/,
    `,\n  "zeros": ${JSON.stringify(zeros)}\n}\n`,
  );
  expect(patched.siteConfig.text === text).toBe(true);
});

test("a patch is rejected if it, or the resulting document, is too large", async () => {
  const refusal = {
    siteConfig: null,
    userErrors: [{ code: "INVALID_FIELD", field: ["patch"], message: "patch must be at most 262144 bytes." }],
  };
  // The site's existence is not checked for that.
  expect(await patch({ site: "nowhere", patch: siteOf(MAX_SITE_CONFIG_BYTES + 1) })).toEqual(refusal);
  await put({ site: "grown", document: siteOf(200_000) });
  expect(await patch({ site: "grown", patch: { y: "y".repeat(70_000) } })).toEqual(refusal);
});
