import { expect, test } from "vitest";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { getSite } from "../../support/site-configs/http.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { call, mutate, run, service } = graphql;
const put = (input: object) => changeSite(graphql, "put", { document: goodSite, ...input });
const remove = (input: object): Promise<Data> => mutate("deleteSiteConfig", input, "deletedSiteConfigId");
const statusOf = async (path: string) => (await getSite(graphql, path)).status;

test("a deleted site and its revisions are hidden, over GraphQL and HTTP", async () => {
  const { siteConfig } = await put({ site: "doomed", isPublic: true });
  const { id, publicPath } = siteConfig;
  const query = '{ siteConfig(site: "doomed") { atRevision(revision: 1) { id } } }';
  const { atRevision } = (await run(query)).siteConfig;
  const seen = async () => [
    await statusOf("doomed"),
    await statusOf("doomed?revision=1"),
    (await fetch(service.url + publicPath)).status,
  ];
  expect(await seen()).toEqual([200, 200, 200]);
  expect(await remove({ site: "doomed" })).toEqual({ deletedSiteConfigId: id, userErrors: [] });
  const read = `query ($id: ID!, $revision: ID!) {
    siteConfig(site: "doomed") { id } siteConfigs { totalCount nodes { id } }
    node(id: $id) { id } revision: node(id: $revision) { id }
  }`;
  expect(await run(read, { id, revision: atRevision.id })).toEqual({
    siteConfig: null,
    siteConfigs: { totalCount: 0, nodes: [] },
    node: null,
    revision: null,
  });
  expect(await seen()).toEqual([404, 404, 404]);
});

test("a deletion is recorded in the audit log once, without making the site private", async () => {
  await put({ site: "logged", isPublic: true });
  for (const _ of ["once", "again"]) await remove({ site: "logged" });
  const { auditLog } = await run(
    '{ auditLog(filter: { subjectName: "logged" }, first: 1) { totalCount nodes { action actorName subjectVersion subject { __typename } } } }',
  );
  expect(auditLog).toEqual({
    totalCount: 3,
    nodes: [{ action: "SITE_CONFIG_DELETED", actorName: "test", subjectVersion: 1, subject: null }],
  });
});

test("only the expected revision is deleted", async () => {
  for (const _ of ["first", "second"]) await put({ site: "kept" });
  for (const [expectedRevision, code] of [
    [1, "VERSION_CONFLICT"],
    [-1, "INVALID_FIELD"],
  ] as const) {
    expect(await remove({ site: "kept", expectedRevision })).toMatchObject({
      deletedSiteConfigId: null,
      userErrors: [{ code, field: ["expectedRevision"] }],
    });
  }
  expect((await remove({ site: "kept", expectedRevision: 2 })).userErrors).toEqual([]);
});

test.each([
  ["deleteSiteConfig", {}],
  ["patchSiteConfig", { patch: { name: "New" } }],
  ["restoreSiteConfig", { revision: 1 }],
  ["setSiteConfigVisibility", { isPublic: true }],
])("%s does not find sites that are deleted or were never there", async (mutation, input) => {
  await put({ site: "gone" });
  await remove({ site: "gone" });
  for (const site of ["gone", "nowhere"]) {
    expect((await mutate(mutation, { site, ...input })).userErrors).toMatchObject([
      { code: "SITE_CONFIG_NOT_FOUND", field: ["site"] },
    ]);
  }
});

test("a deleted site can be created again, private and with the next revision number", async () => {
  const first = await put({ site: "phoenix", isPublic: true });
  await put({ site: "phoenix" });
  await remove({ site: "phoenix" });
  const conflict = { siteConfig: null, userErrors: [{ code: "VERSION_CONFLICT" }] };
  expect(await put({ site: "phoenix", expectedRevision: 2 })).toMatchObject(conflict);
  const again = await put({ site: "phoenix", expectedRevision: 0 });
  expect(again.siteConfig).toMatchObject({ id: first.siteConfig.id, revision: 3, isPublic: false });
  const query = '{ siteConfig(site: "phoenix") { revisions { totalCount nodes { revision } } } }';
  expect((await run(query)).siteConfig.revisions).toEqual({
    totalCount: 3,
    nodes: [{ revision: 3 }, { revision: 2 }, { revision: 1 }],
  });
  expect(await put({ site: "phoenix", expectedRevision: 0 })).toMatchObject(conflict);
});

test("a deleted site is created once if several create it at the same time", async () => {
  await put({ site: "raced" });
  await remove({ site: "raced" });
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, () => put({ site: "raced", expectedRevision: 0 })),
  );
  expect(outcomes.filter(({ siteConfig }) => siteConfig?.revision === 2)).toHaveLength(1);
  expect(outcomes.filter(({ userErrors }) => userErrors[0]?.code === "VERSION_CONFLICT")).toHaveLength(4);
});

const DELETE = "deletedSiteConfigId userErrors { code field }";
test.each([
  ["GRAPHQL_VALIDATION_FAILED", "{ siteConfig(site: null) { site } }", {}],
  ["BAD_USER_INPUT", "query ($site: String) { siteConfig(site: $site) { site } }", { site: null }],
  [
    "BAD_USER_INPUT",
    `mutation ($input: DeleteSiteConfigInput!) { deleteSiteConfig(input: $input) { ${DELETE} } }`,
    { input: { site: null } },
  ],
  [
    "BAD_USER_INPUT",
    `mutation ($site: String) { deleteSiteConfig(input: { site: $site }) { ${DELETE} } }`,
    { site: null },
  ],
])(
  "the site is `default` if it is omitted, and null is an error: %s for %s",
  async (code, query, variables) => {
    await put({});
    for (const _ of ["at first", "once it is known"])
      expect(await call(query, variables)).toMatchObject({
        body: { errors: [{ extensions: { code } }] },
      });
    const { siteConfig } = await run("query ($site: String) { siteConfig(site: $site) { site } }");
    expect(siteConfig).toEqual({ site: "default" });
    if (!query.includes("($site: String) { delete")) return;
    // The variable was forgotten: the site must not be deleted.
    const refusal = { userErrors: [{ code: "INVALID_FIELD", field: ["site"] }] };
    expect((await run(query)).deleteSiteConfig).toMatchObject(refusal);
    expect(
      (await run(`mutation { deleteSiteConfig(input: {}) { ${DELETE} } }`)).deleteSiteConfig,
    ).toMatchObject({
      userErrors: [],
    });
  },
);
