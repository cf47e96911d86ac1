import { describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = useGraphql();
const put = (input: object, key?: string) => changeSite(graphql(), "put", { ...input }, key);
const patch = (input: object, key?: string) => changeSite(graphql(), "patch", { ...input }, key);
const restore = (input: object, key?: string) => changeSite(graphql(), "restore", { ...input }, key);

/** Formatted as no program would. */
const oddText = `{"navigation" :[ { "pages":["b","a"],"group":"\\u0041" }],\r\n\t"zeta": 1.50e1,
 "10":1, "2": 12345678901234567891, "name":"Döcs \\ud83d\\ude00", "nested":{"__proto__":{"x":null}} }\n\n`;

test("returns what was put, and each write creates a revision", async () => {
  const { run, keys } = graphql();
  expect(await put({ document: goodSite })).toEqual({
    siteConfig: {
      id: expect.any(String),
      site: "default",
      revision: 1,
      isPublic: false,
      publicPath: null,
      text: `${JSON.stringify(goodSite, null, 2)}\n`,
      document: goodSite,
      updatedAt: expect.stringMatching(/^\d{4}-/),
      report: { isValid: true },
    },
    report: { isValid: true, errors: [], warnings: [] },
    userErrors: [],
  });
  expect((await put({ document: goodSite })).siteConfig.revision).toBe(2);
  const query = "{ siteConfig { id revision document } }";
  const { siteConfig } = await run(query, {}, keys.read);
  expect(siteConfig).toMatchObject({ revision: 2, document: goodSite });
  const { node } = await run("query ($id: ID!) { node(id: $id) { id ... on SiteConfig { site } } }", {
    id: siteConfig.id,
  });
  expect(node).toEqual({ id: siteConfig.id, site: "default" });
});

test("returns a text character by character", async () => {
  const { siteConfig, report } = await put({ site: "odd", text: oddText });
  expect(siteConfig.text).toBe(oddText);
  expect(siteConfig.document).toEqual(JSON.parse(oddText));
  expect(report.warnings).toContainEqual({ code: "unknown_property", pointer: "/zeta" });
  const patched = await patch({ site: "odd", patch: { name: "Docs", nested: { more: [1, { a: null }] } } });
  const kept = oddText.replace('"Döcs \\ud83d\\ude00"', '"Docs"').split('{"x":null}');
  expect(patched.siteConfig.text.startsWith(`${kept[0]}{"x":null}`)).toBe(true);
  expect(patched.siteConfig.text.endsWith(kept[1]?.slice(-4) ?? "")).toBe(true);
  const { document } = patched.siteConfig;
  expect(document).toMatchObject({ name: "Docs", nested: { more: [1, { a: null }] }, zeta: 15 });
  expect(Object.keys(document.nested)).toEqual(["__proto__", "more"]);
});

test("patches according to RFC 7396", async () => {
  await put({
    site: "patched",
    document: { ...goodSite, tabs: [{ name: "T", url: "a" }], extra: { a: 1, b: 2 } },
  });
  const { siteConfig, report } = await patch({
    site: "patched",
    patch: {
      name: "New",
      tabs: null,
      extra: { b: null, c: { d: null, e: 3 } },
      navigation: goodSite.navigation,
    },
  });
  expect(siteConfig).toMatchObject({
    revision: 2,
    document: { ...goodSite, name: "New", extra: { a: 1, c: { e: 3 } } },
  });
  expect(Object.keys(siteConfig.document)).toEqual(["name", "favicon", "colors", "navigation", "extra"]);
  expect(report.isValid).toBe(true);
});

test("reports the text's findings for a patch, without lines and columns", async () => {
  await put({ site: "spelt", text: oddText });
  const inexact = { code: "inexact_number", pointer: "/2" };
  expect(await patch({ site: "spelt", patch: { name: "Docs" } })).toMatchObject({
    siteConfig: { revision: 2 },
    report: { isValid: true, warnings: expect.arrayContaining([inexact]) },
  });
  expect(await patch({ site: "spelt", patch: {}, strict: true })).toMatchObject({
    siteConfig: null,
    report: { errors: expect.arrayContaining([{ ...inexact, line: null, column: null }]) },
  });
});

test("never stores an invalid document", async () => {
  const { run } = graphql();
  await put({ site: "strict", document: goodSite });
  const invalid = await put({ site: "strict", text: '{\n  "name": "",\n  "navigation": {}\n}' });
  expect(invalid).toEqual({
    siteConfig: null,
    report: {
      isValid: false,
      errors: [
        { code: "empty_value", pointer: "/name", line: 2, column: 11 },
        { code: "docs_json_format", pointer: "/navigation", line: 3, column: 17 },
      ],
      warnings: expect.any(Array),
    },
    userErrors: [
      {
        code: "INVALID_SITE_CONFIG",
        field: ["source", "text"],
        message: 'The site configuration has 2 errors; the first: "name" must not be empty. (at /name)',
      },
    ],
  });
  expect(await put({ site: "strict", text: "{" })).toMatchObject({
    siteConfig: null,
    userErrors: [{ code: "INVALID_SITE_CONFIG", field: ["source", "text"] }],
  });
  const { colors: _, ...colorless } = goodSite;
  expect(await put({ site: "strict", document: colorless, strict: true })).toMatchObject({
    siteConfig: null,
    report: { isValid: false, errors: [{ code: "missing_recommended", line: null }] },
    userErrors: [{ field: ["source", "document"] }],
  });
  for (const change of [{ name: null }, { navigation: [] }, [], "x"]) {
    expect(await patch({ site: "strict", patch: change })).toMatchObject({
      siteConfig: null,
      report: { isValid: false, errors: [{ line: null }] },
      userErrors: [{ code: "INVALID_SITE_CONFIG", field: ["patch"] }],
    });
  }
  expect(await patch({ site: "strict", patch: { colors: null }, strict: true })).toMatchObject({
    siteConfig: null,
  });
  expect(await put({ site: "never", text: "{}" })).toMatchObject({ siteConfig: null });
  const { strict, never } = await run(
    '{ strict: siteConfig(site: "strict") { revision document } never: siteConfig(site: "never") { id } }',
  );
  expect({ strict, never }).toEqual({ strict: { revision: 1, document: goodSite }, never: null });
});

describe("two edits of one revision", () => {
  test("reject the second", async () => {
    expect(await put({ site: "edited", document: goodSite, expectedRevision: 1 })).toMatchObject({
      siteConfig: null,
      userErrors: [
        {
          code: "VERSION_CONFLICT",
          field: ["expectedRevision"],
          message: "The site configuration does not exist yet, but revision 1 was expected.",
        },
      ],
    });
    expect((await put({ site: "edited", document: goodSite, expectedRevision: 0 })).siteConfig.revision).toBe(
      1,
    );
    const conflict = {
      siteConfig: null,
      userErrors: [
        {
          code: "VERSION_CONFLICT",
          message: "The site configuration exists already, at revision 1.",
        },
      ],
    };
    const late = { site: "edited", expectedRevision: 0 };
    expect(await put({ ...late, document: goodSite })).toMatchObject(conflict);
    expect(await patch({ ...late, patch: {} })).toMatchObject(conflict);
    expect(await restore({ ...late, revision: 1 })).toMatchObject(conflict);
    expect((await patch({ site: "edited", patch: {}, expectedRevision: 1 })).siteConfig.revision).toBe(2);
  });

  test("let one win when concurrent, also for the first revision", async () => {
    for (const expectedRevision of [0, 1]) {
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          put({ site: "raced", document: { ...goodSite, name: `Docs ${index}` }, expectedRevision }),
        ),
      );
      const won = results.filter(({ siteConfig }) => siteConfig !== null);
      expect(won).toHaveLength(1);
      expect(won[0].siteConfig.revision).toBe(expectedRevision + 1);
    }
  });

  test("create a revision each without an expected revision", async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, () => put({ site: "crowded", document: goodSite })),
    );
    const numbers = results.map(({ siteConfig }) => siteConfig.revision);
    expect(numbers.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("revision times never decrease", async () => {
    const { run } = graphql();
    await Promise.all(Array.from({ length: 40 }, () => put({ site: "timed", document: goodSite })));
    const { siteConfig } = await run(
      '{ siteConfig(site: "timed") { createdAt updatedAt revisions(first: 50) { nodes { revision createdAt } } } }',
    );
    const revisions: { revision: number; createdAt: string }[] = siteConfig.revisions.nodes.toReversed();
    expect(revisions.map(({ revision }) => revision)).toEqual(Array.from({ length: 40 }, (_, id) => id + 1));
    const times = revisions.map(({ createdAt }) => createdAt);
    expect([siteConfig.createdAt, ...times]).toEqual([siteConfig.createdAt, ...times].toSorted());
    expect(siteConfig.updatedAt).toBe(times.at(-1));
  });
});
