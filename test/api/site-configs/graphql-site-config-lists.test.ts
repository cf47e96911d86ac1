import { beforeAll, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql({ speed: { keyCacheMs: 0 } });
const { run, service } = graphql;
const SITES = Array.from({ length: 25 }, (_, index) => `site-${String(index).padStart(2, "0")}`);

beforeAll(async () => {
  for (const site of SITES.toReversed()) {
    await changeSite(graphql, "put", { site, document: goodSite });
    await changeSite(graphql, "patch", { site, patch: { name: `Second of ${site}` } });
  }
});

test("sites are listed by name, page by page, each once", async () => {
  const query = `query ($after: String) { siteConfigs(first: 10, after: $after) {
    totalCount nodes { site } pageInfo { hasNextPage endCursor }
  } }`;
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const { siteConfigs }: Awaited<ReturnType<typeof run>> = await run(query, { after });
    seen.push(...siteConfigs.nodes.map(({ site }: { site: string }) => site));
    expect(siteConfigs.totalCount).toBe(SITES.length);
    after = siteConfigs.pageInfo.hasNextPage ? siteConfigs.pageInfo.endCursor : null;
  } while (after !== null);
  expect(seen).toEqual(SITES);
  const { siteConfigs } = await run(
    "{ siteConfigs(last: 2) { nodes { site } pageInfo { hasPreviousPage } } }",
  );
  expect(siteConfigs).toEqual({
    nodes: SITES.slice(-2).map((site) => ({ site })),
    pageInfo: { hasPreviousPage: true },
  });
});

test("revisions are listed from the newest, in either direction", async () => {
  for (let count = 0; count < 3; count += 1)
    await changeSite(graphql, "patch", { site: "site-00", patch: {} });
  const page = async (args: string) => {
    const query = `{ siteConfig(site: "site-00") { revisions(${args}) {
      totalCount edges { cursor node { revision } } pageInfo { hasNextPage hasPreviousPage }
    } } }`;
    const { edges, ...rest } = (await run(query)).siteConfig.revisions;
    return {
      ...rest,
      cursors: edges.map(({ cursor }: { cursor: string }) => cursor),
      numbers: edges.map(({ node }: { node: { revision: number } }) => node.revision),
    };
  };
  const newest = await page("first: 2");
  expect(newest).toMatchObject({ totalCount: 5, numbers: [5, 4], pageInfo: { hasNextPage: true } });
  const next = await page(`first: 9, after: "${newest.cursors[1]}"`);
  expect(next).toMatchObject({ numbers: [3, 2, 1], pageInfo: { hasNextPage: false, hasPreviousPage: true } });
  expect(await page(`last: 2, before: "${next.cursors[2]}"`)).toMatchObject({
    numbers: [3, 2],
    pageInfo: { hasPreviousPage: true, hasNextPage: true },
  });
});

test("a list takes as many statements for many sites as for one", async () => {
  const read = async (first: number) => {
    service.statements.length = 0;
    const { siteConfigs } = await run(`{ siteConfigs(first: ${first}) { nodes {
      site document text settings { name } report { isValid }
      revisions(first: 2) { nodes { revision document } }
      atRevision(revision: 1) { settings { name } }
      diff(from: 1)
    } } }`);
    expect(siteConfigs.nodes).toHaveLength(first);
    expect(siteConfigs.nodes.at(-1).atRevision.settings).toEqual({ name: "Docs" });
    return service.statements.length;
  };
  const one = await read(1);
  expect(await read(25)).toBe(one);
});

test("a list reads only the requested fields", async () => {
  service.statements.length = 0;
  await run("{ siteConfigs { nodes { site revision isPublic updatedAt } } }");
  expect(service.statements).toHaveLength(2);
  expect(service.statements.join()).not.toMatch(/\btext\b/);
});
