import { expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { goodSite } from "../../support/site-configs/store.js";

const { call, run } = await startGraphql();
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
  const nested = { group: "B", pages: ["b"] };
  const document = { ...goodSite, navigation: [{ group: "A", pages: ["a", nested, nested] }] };
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
