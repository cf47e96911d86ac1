import { describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = useGraphql();
const DELETE = `mutation ($input: DeleteSiteConfigInput!) {
  deleteSiteConfig(input: $input) { deletedSiteConfigId userErrors { code field message } }
}`;

async function put(input: object) {
  return changeSite(graphql(), "put", { document: goodSite, ...input });
}

async function remove(input: object) {
  return (await graphql().run(DELETE, { input })).deleteSiteConfig;
}

async function served(site: string, query = "") {
  const { service, keys } = graphql();
  const headers = { authorization: `Token ${keys.read}` };
  const reply = await fetch(`${service.url}/site-config/${site}${query}`, { headers });
  return { status: reply.status, text: await reply.text() };
}

describe("deleteSiteConfig", () => {
  test("hides a site and its revisions, over GraphQL and HTTP", async () => {
    const { run, service } = graphql();
    const { siteConfig } = await put({ site: "doomed", isPublic: true });
    const { id } = siteConfig;
    const { atRevision } = (await run('{ siteConfig(site: "doomed") { atRevision(revision: 1) { id } } }'))
      .siteConfig;
    expect(await served("doomed")).toMatchObject({ status: 200 });
    const publicUrl = `${service.url}${siteConfig.publicPath}`;
    expect((await fetch(publicUrl)).status).toBe(200);
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
    expect(await served("doomed")).toMatchObject({ status: 404 });
    expect(await served("doomed", "?revision=1")).toMatchObject({ status: 404 });
    expect((await fetch(publicUrl)).status).toBe(404);
  });

  test("is recorded in the audit log once, without making the site private", async () => {
    await put({ site: "logged", isPublic: true });
    await remove({ site: "logged" });
    await remove({ site: "logged" });
    const { auditLog } = await graphql().run(
      '{ auditLog(filter: { subjectName: "logged" }, first: 1) { totalCount nodes { action actorName subjectVersion subject { __typename } } } }',
    );
    expect(auditLog).toEqual({
      totalCount: 3,
      nodes: [{ action: "SITE_CONFIG_DELETED", actorName: "test", subjectVersion: 1, subject: null }],
    });
  });

  test("fails for another revision and for a site that does not exist", async () => {
    await put({ site: "kept" });
    await put({ site: "kept" });
    expect(await remove({ site: "kept", expectedRevision: 1 })).toMatchObject({
      deletedSiteConfigId: null,
      userErrors: [{ code: "VERSION_CONFLICT", field: ["expectedRevision"] }],
    });
    expect(await remove({ site: "kept", expectedRevision: -1 })).toMatchObject({
      userErrors: [{ code: "INVALID_FIELD", field: ["expectedRevision"] }],
    });
    expect(await remove({ site: "kept", expectedRevision: 2 })).toMatchObject({ userErrors: [] });
    expect(await remove({ site: "kept" })).toMatchObject({
      deletedSiteConfigId: null,
      userErrors: [{ code: "SITE_CONFIG_NOT_FOUND", field: ["site"] }],
    });
    for (const [mutation, input] of [
      ["patch", { patch: { name: "New" } }],
      ["restore", { revision: 1 }],
    ] as const) {
      expect(await changeSite(graphql(), mutation, { site: "kept", ...input })).toMatchObject({
        userErrors: [{ code: "SITE_CONFIG_NOT_FOUND" }],
      });
    }
    const { setSiteConfigVisibility } = await graphql().run(
      'mutation { setSiteConfigVisibility(input: { site: "kept", isPublic: true }) { userErrors { code } } }',
    );
    expect(setSiteConfigVisibility).toEqual({ userErrors: [{ code: "SITE_CONFIG_NOT_FOUND" }] });
  });

  test("lets the site be created again, private and with the next revision number", async () => {
    const { run } = graphql();
    const first = await put({ site: "phoenix", isPublic: true });
    await put({ site: "phoenix" });
    await remove({ site: "phoenix" });
    expect(await put({ site: "phoenix", expectedRevision: 2 })).toMatchObject({
      siteConfig: null,
      userErrors: [{ code: "VERSION_CONFLICT" }],
    });
    const again = await put({ site: "phoenix", expectedRevision: 0 });
    expect(again.siteConfig).toMatchObject({ id: first.siteConfig.id, revision: 3, isPublic: false });
    const { siteConfig } = await run(
      '{ siteConfig(site: "phoenix") { revisions { totalCount nodes { revision } } } }',
    );
    expect(siteConfig.revisions).toEqual({
      totalCount: 3,
      nodes: [{ revision: 3 }, { revision: 2 }, { revision: 1 }],
    });
    expect(await put({ site: "phoenix", expectedRevision: 0 })).toMatchObject({
      userErrors: [{ code: "VERSION_CONFLICT" }],
    });
  });

  test("creates a deleted site once if several create it at the same time", async () => {
    await put({ site: "raced" });
    await remove({ site: "raced" });
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => put({ site: "raced", expectedRevision: 0 })),
    );
    expect(outcomes.filter(({ siteConfig }) => siteConfig?.revision === 2)).toHaveLength(1);
    expect(outcomes.filter(({ userErrors }) => userErrors[0]?.code === "VERSION_CONFLICT")).toHaveLength(4);
  });
});

describe("the site is `default` if it is omitted, and null is an error:", () => {
  test.each([
    ["GRAPHQL_VALIDATION_FAILED", "{ siteConfig(site: null) { site } }", {}],
    ["BAD_USER_INPUT", "query ($site: String) { siteConfig(site: $site) { site } }", { site: null }],
    [
      "BAD_USER_INPUT",
      "mutation ($input: DeleteSiteConfigInput!) { deleteSiteConfig(input: $input) { deletedSiteConfigId } }",
      { input: { site: null } },
    ],
  ])("%s for %s", async (code, query, variables) => {
    await put({});
    for (const _ of ["at first", "once it is known"]) {
      expect(await graphql().call(query, variables)).toMatchObject({
        body: { errors: [{ extensions: { code } }] },
      });
    }
    const { siteConfig } = await graphql().run("query ($site: String) { siteConfig(site: $site) { site } }");
    expect(siteConfig).toEqual({ site: "default" });
  });

  test("a variable in an input", async () => {
    await put({});
    const query =
      "mutation ($site: String) { deleteSiteConfig(input: { site: $site }) { deletedSiteConfigId userErrors { code field } } }";
    expect(await graphql().call(query, { site: null })).toMatchObject({
      body: { errors: [{ extensions: { code: "BAD_USER_INPUT" } }] },
    });
    expect((await graphql().run(query)).deleteSiteConfig).toMatchObject({ userErrors: [] });
  });
});
