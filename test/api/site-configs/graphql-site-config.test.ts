import { expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";

const graphql = useGraphql();
const CHECK = `query ($source: SiteConfigSource!, $strict: Boolean) {
  validateSiteConfig(source: $source, strict: $strict) {
    isValid
    errors { code pointer message line column }
    warnings { code pointer message line column }
    notices { code pointer count line column }
  }
}`;
const good = {
  name: "Docs",
  favicon: "/f.png",
  colors: { primary: "#0a7" },
  navigation: [{ group: "A", pages: ["a"] }],
};

test("a valid site configuration is accepted as a document and as text", async () => {
  const { run, keys } = graphql();
  const valid = { isValid: true, errors: [], warnings: [], notices: [] };
  expect((await run(CHECK, { source: { document: good } })).validateSiteConfig).toEqual(valid);
  expect(
    (await run(CHECK, { source: { text: JSON.stringify(good) } }, keys.read)).validateSiteConfig,
  ).toEqual(valid);
  expect((await run(CHECK, { source: { document: good }, strict: true })).validateSiteConfig).toEqual(valid);
});

test("findings have a code and a pointer, and a position if they concern text", async () => {
  const { run } = graphql();
  const { colors: _, ...invalid } = { ...good, name: "", favicons: "x" };
  const { validateSiteConfig } = await run(CHECK, { source: { document: invalid } });
  expect(validateSiteConfig).toMatchObject({
    isValid: false,
    errors: [{ pointer: "/name", line: null, column: null }],
  });
  const pointers = validateSiteConfig.warnings.map(({ pointer }: { pointer: string }) => pointer);
  expect(pointers).toContain("/favicons");
  const text = '{\n  "name": "Docs",\n  "navigation": {}\n}';
  expect((await run(CHECK, { source: { text } })).validateSiteConfig).toMatchObject({
    isValid: false,
    errors: [{ code: "docs_json_format", pointer: "/navigation", line: 3, column: 17 }],
  });
  expect((await run(CHECK, { source: { text }, strict: true })).validateSiteConfig.warnings).toEqual([]);
});

test("notices are apart from warnings, one of a kind, and strict validation allows them", async () => {
  const { run } = graphql();
  const nested = { group: "B", pages: ["b"] };
  const document = { ...good, navigation: [{ group: "A", pages: ["a", nested, nested] }] };
  expect((await run(CHECK, { source: { document }, strict: true })).validateSiteConfig).toEqual({
    isValid: true,
    errors: [],
    warnings: [],
    notices: [
      { code: "undocumented_form", pointer: "/navigation/0/pages/1", count: 2, line: null, column: null },
    ],
  });
});

test("requires exactly one of text and document, and an API key", async () => {
  const { call } = graphql();
  for (const source of [{}, { document: good, text: "{}" }, { document: null }]) {
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
