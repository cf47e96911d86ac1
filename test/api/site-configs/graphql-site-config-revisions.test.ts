import { expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = useGraphql();
const put = (input: object, key?: string) => changeSite(graphql(), "put", { ...input }, key);
const restore = (input: object) => changeSite(graphql(), "restore", { ...input });

const first = `{"name": "First", "navigation": [{"group": "", "pages": ["a"]}], "n": 1.0}`;

test("a revision is restored as a new one", async () => {
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
  const { run, service, account, keys } = graphql();
  const created = await run(
    `mutation { createApiKey(input: { name: "cli", scope: WRITE }) { secret apiKey { id } } }`,
  );
  const { secret, apiKey } = created.createApiKey;
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
  await run("mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { apiKey { id } } }", { id: apiKey.id });
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
  const { run } = graphql();
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
  const { call } = graphql();
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
