import { expect, test } from "vitest";
import { useGraphql } from "./support/graphql-fixture.js";
import { changeSite, goodSite } from "./support/site-config-store.js";

const graphql = useGraphql();
const put = (input: object, key?: string) => changeSite(graphql(), "put", { ...input }, key);
const restore = (input: object) => changeSite(graphql(), "restore", { ...input });

const first = `{"name": "First", "navigation": [{"group": "", "pages": ["a"]}], "n": 1.0}`;

test("a revision is brought back as a new one", async () => {
  const { run } = graphql();
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
    revisions { totalCount nodes { id revision author restoredFrom createdAt text settings { name } report { valid } } }
  } }`);
  expect(siteConfig.revisions).toMatchObject({
    totalCount: 3,
    nodes: [
      { revision: 3, restoredFrom: 1, text: first, settings: { name: "First" }, report: { valid: true } },
      { revision: 2, restoredFrom: null, settings: { name: "Docs" } },
      { revision: 1, restoredFrom: null, text: first },
    ],
  });
  const byId =
    "query ($id: ID!) { node(id: $id) { ... on SiteConfigRevision { revision restoredFrom text } } }";
  const { node } = await run(byId, { id: siteConfig.revisions.nodes[0].id });
  expect(node).toEqual({ revision: 3, restoredFrom: 1, text: first });
});

test("a revision names its author, whatever becomes of the key", async () => {
  const { run } = graphql();
  const created = await run(
    `mutation { createApiKey(input: { name: "publisher", scope: WRITE }) { secret apiKey { id } } }`,
  );
  const { secret, apiKey } = created.createApiKey;
  await put({ site: "authored", document: goodSite }, secret);
  await put({ site: "authored", document: goodSite });
  await run("mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { apiKey { id } } }", { id: apiKey.id });
  const query = `{ siteConfig(site: "authored") { revisions { nodes { author } } atRevision(revision: 1) { author } } }`;
  expect((await run(query)).siteConfig).toEqual({
    revisions: { nodes: [{ author: expect.not.stringMatching("publisher") }, { author: "publisher" }] },
    atRevision: { author: "publisher" },
  });
});

test("the difference of two revisions is a JSON patch", async () => {
  const { run, call } = graphql();
  await put({ site: "differing", document: goodSite });
  await put({
    site: "differing",
    document: { ...goodSite, name: "New", navigation: [{ group: "A", pages: ["a", "between", "b"] }] },
  });
  const query = `query ($from: Int!, $to: Int) { siteConfig(site: "differing") { diff(from: $from, to: $to) } }`;
  const forward = [
    { op: "replace", path: "/name", value: "New" },
    { op: "add", path: "/navigation/0/pages/1", value: "between" },
  ];
  expect((await run(query, { from: 1 })).siteConfig.diff).toEqual(forward);
  expect((await run(query, { from: 1, to: 2 })).siteConfig.diff).toEqual(forward);
  expect((await run(query, { from: 2, to: 2 })).siteConfig.diff).toEqual([]);
  expect((await run(query, { from: 2, to: 1 })).siteConfig.diff).toEqual([
    { op: "replace", path: "/name", value: "Docs" },
    { op: "remove", path: "/navigation/0/pages/1" },
  ]);
  expect(await call(query, { from: 3 })).toMatchObject({
    body: {
      errors: [
        { message: "from must be a revision of the site, from 1 to 2.", extensions: { field: ["from"] } },
      ],
    },
  });
});
