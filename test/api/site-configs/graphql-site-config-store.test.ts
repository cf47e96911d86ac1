import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { account, call, keys, mutate, run, service } = graphql;
const put = (input: object, key?: string) => changeSite(graphql, "put", { ...input }, key);
const patch = (input: object) => changeSite(graphql, "patch", { ...input });
const restore = (input: object) => changeSite(graphql, "restore", { ...input });

/** Formatted as no program would. */
const oddText = `{"navigation" :[ { "pages":["b","a"],"group":"\\u0041" }],\r\n\t"zeta": 1.50e1,
 "10":1, "2": 12345678901234567891, "name":"Döcs \\ud83d\\ude00", "nested":{"__proto__":{"x":null}} }\n\n`;

test("returns what was put, and each write creates a revision", async () => {
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
  expect(await put({ document: goodSite, expectedRevision: -1 })).toMatchObject({
    userErrors: [{ code: "INVALID_FIELD", field: ["expectedRevision"] }],
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

  test("create a revision each without an expected revision, at times that never decrease", async () => {
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

const first = `{"name": "First", "navigation": [{"group": "", "pages": ["a"]}], "n": 1.0}`;

test("a revision is restored as a new one", async () => {
  await put({ site: "restored", text: first });
  await put({ site: "restored", document: goodSite });
  expect(await restore({ site: "restored", revision: 1 })).toMatchObject({
    siteConfig: { revision: 3, text: first },
    userErrors: [],
  });
  expect(await restore({ site: "restored", revision: 4 })).toMatchObject({
    siteConfig: null,
    userErrors: [
      {
        code: "SITE_CONFIG_NOT_FOUND",
        field: ["revision"],
        message: "The site has no revision 4; the latest is 3.",
      },
    ],
  });
  expect(await restore({ site: "restored", revision: 0 })).toMatchObject({
    userErrors: [{ code: "INVALID_FIELD", field: ["revision"] }],
  });
  const { siteConfig } = await run(`{ siteConfig(site: "restored") {
    revisions { totalCount nodes { id revision authorName restoredFrom createdAt text settings { name } report { isValid } } }
  } }`);
  expect(siteConfig.revisions).toMatchObject({
    totalCount: 3,
    nodes: [
      { revision: 3, restoredFrom: 1, text: first, settings: { name: "First" }, report: { isValid: true } },
      { revision: 2, restoredFrom: null, settings: { name: "Docs" } },
      { revision: 1, restoredFrom: null, text: first },
    ],
  });
  const byId =
    "query ($id: ID!) { node(id: $id) { ... on SiteConfigRevision { revision restoredFrom text } } }";
  const { node } = await run(byId, { id: siteConfig.revisions.nodes[0].id });
  expect(node).toEqual({ revision: 3, restoredFrom: 1, text: first });
});

test("a revision names its author and links to the author's key, even after the key is revoked", async () => {
  const created = { name: "cli", scope: "WRITE" };
  const { secret, apiKey } = await mutate("createApiKey", created, "secret apiKey { id }");
  await put({ site: "authored", document: goodSite }, secret);
  await put({ site: "authored", document: goodSite });
  const atDatabase = {
    accountId: account.accountId,
    environment: "Customer",
    actor: { name: "cli", keyId: null, requestId: null },
  } as const;
  const options = { expectedRevision: null, strict: false, isPublic: null };
  const source = { text: JSON.stringify(goodSite) };
  await service.services.siteConfigs.put(atDatabase, "authored", { ...options, source });
  await mutate("revokeApiKey", apiKey);
  const query = `{ siteConfig(site: "authored") {
    revisions { nodes { authorName author { id name revokedAt } } } atRevision(revision: 1) { authorName author { id } }
  } }`;
  expect((await run(query)).siteConfig).toEqual({
    revisions: {
      nodes: [
        { authorName: "cli", author: null },
        { authorName: "test", author: { id: expect.any(String), name: "test", revokedAt: null } },
        { authorName: "cli", author: { id: apiKey.id, name: "cli", revokedAt: expect.any(String) } },
      ],
    },
    atRevision: { authorName: "cli", author: { id: apiKey.id } },
  });
  service.statements.length = 0;
  await run('{ siteConfig(site: "authored") { revisions { nodes { author { name } } } } }');
  expect(service.statements.filter((text) => /FROM api_key .*id = ANY/s.test(text))).toHaveLength(1);
  // API keys are visible to admins only.
  const { siteConfig } = await run(query, {}, keys.read);
  expect(siteConfig.atRevision).toEqual({ authorName: "cli", author: null });
});

test("the diff of two revisions is a JSON patch", async () => {
  await put({ site: "differing", document: goodSite });
  await put({
    site: "differing",
    document: { ...goodSite, name: "New", navigation: [{ group: "A", pages: ["a", "between", "b"] }] },
  });
  const query = `query ($from: Int!, $to: Int) { siteConfig(site: "differing") { diff(from: $from, to: $to) } }`;
  const forward = [
    { op: "replace", path: "/navigation/0/pages/1", value: "between" },
    { op: "add", path: "/navigation/0/pages/2", value: "b" },
    { op: "replace", path: "/name", value: "New" },
  ];
  expect((await run(query, { from: 1 })).siteConfig.diff).toEqual(forward);
  expect((await run(query, { from: 1, to: 2 })).siteConfig.diff).toEqual(forward);
  expect((await run(query, { from: 2, to: 2 })).siteConfig.diff).toEqual([]);
  expect((await run(query, { from: 2, to: 1 })).siteConfig.diff).toEqual([
    { op: "remove", path: "/navigation/0/pages/2" },
    { op: "replace", path: "/navigation/0/pages/1", value: "b" },
    { op: "replace", path: "/name", value: "Docs" },
  ]);
});

test("the diff with an unknown revision is null, and other fields are returned", async () => {
  await put({ site: "short", document: goodSite });
  const query = `{ siteConfig(site: "short") {
    revision same: diff(from: 1) late: diff(from: 2) beyond: diff(from: 1, to: 3)
  } }`;
  const missing = (argument: string) => ({
    message: `${argument} must be the number of a revision, from 1 to 1.`,
    extensions: expect.objectContaining({ code: "INVALID_FIELD", field: [argument] }),
  });
  const { status, body } = await call(query);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { data: { siteConfig: { revision: 1, same: [], late: null, beyond: null } } },
  });
  const { errors } = Object(body);
  expect(errors).toHaveLength(2);
  expect(errors).toEqual(
    expect.arrayContaining(["from", "to"].map((argument) => expect.objectContaining(missing(argument)))),
  );
});
