import { beforeAll, describe, expect, test } from "vitest";
import { Loaders } from "../../../src/graphql/shared/loaders.js";
import { siteConfigs } from "../../../src/graphql/site-configs/loaders.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = useGraphql();
const MANY = 58;
const LARGE = 225_000;

const extensions = expect.objectContaining({ code: "QUERY_TOO_EXPENSIVE", limit: 50_000 });
const tooExpensive = { body: { errors: expect.arrayContaining([expect.objectContaining({ extensions })]) } };

/** One field many times, each under its own alias. */
const times = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join("\n");
/** A valid document with that many warnings. */
const noted = (findings: number) => ({
  ...goodSite,
  ...Object.fromEntries(Array.from({ length: findings }, (_, index) => [`${"k".repeat(270)}${index}`, 0])),
});
const padded = (document: object, size: number) => JSON.stringify(document).padEnd(size);

/** Puts a document without reading its report. */
const putOnly = (site: string, document: object) =>
  graphql().mutate("putSiteConfig", { site, source: { document } });

beforeAll(async () => {
  await changeSite(graphql(), "put", { site: "named", document: { ...goodSite, name: "n".repeat(250_000) } });
  await changeSite(graphql(), "put", { site: "large", text: padded(goodSite, LARGE) });
  await changeSite(graphql(), "put", { site: "large", document: goodSite });
  await putOnly("noted", noted(900));
});

describe("validation without storing", () => {
  const checkText = (field: string) => `query ($text: String!) { ${field} }`;
  const checkDocument = (field: string) => `query ($document: JSON!) { ${field} }`;

  test("costs by size", async () => {
    const { call } = graphql();
    const text = padded(goodSite, LARGE);
    const document = { ...goodSite, description: "x".repeat(LARGE) };
    const texts = checkText(times(MANY, "validateSiteConfig(source: { text: $text }) { isValid }"));
    expect(await call(texts, { text })).toMatchObject(tooExpensive);
    const documents = checkDocument(
      times(MANY, "validateSiteConfig(source: { document: $document }) { isValid }"),
    );
    expect(await call(documents, { document })).toMatchObject(tooExpensive);
  });

  test("costs by findings, and again by findings in the reply", async () => {
    const { call, run } = graphql();
    const variables = { document: noted(900) };
    const field = "validateSiteConfig(source: { document: $document })";
    const seen = await run(checkDocument(`${field} { warnings { code pointer message } }`), variables);
    expect(seen.validateSiteConfig.warnings).toHaveLength(900);
    expect((await call(checkDocument(times(20, `${field} { isValid }`)), variables)).status).toBe(200);
    for (const [count, fields] of [
      [MANY, "isValid"],
      [20, "warnings { code }"],
    ] as const) {
      const checks = checkDocument(times(count, `${field} { ${fields} }`));
      expect(await call(checks, variables), fields).toMatchObject(tooExpensive);
    }
  });
});

describe("a stored document's report", () => {
  const read = (fields: string) => `{ siteConfig(site: "noted") { ${fields} } }`;

  test("costs each finding and its texts as often as they are returned", async () => {
    const { call, run } = graphql();
    const { siteConfig } = await run(read("report { warnings { code pointer message line } }"));
    expect(siteConfig.report.warnings).toHaveLength(900);
    expect((await call(read(times(4, "report { isValid }")))).status).toBe(200);
    for (const fields of [
      times(MANY, "report { warnings { code } }"),
      `report { ${times(MANY, "warnings { code }")} }`,
      `report { warnings { ${times(MANY, "pointer")} } }`,
      `report(strict: true) { ${times(MANY, "errors { code }")} }`,
    ]) {
      expect(await call(read(fields)), fields).toMatchObject(tooExpensive);
    }
  });

  test("is omitted from a mutation's reply when too large; the change is kept", async () => {
    const { call } = graphql();
    const change = `patchSiteConfig(input: { site: "noted", patch: {} }) {
      siteConfig { revision } report { ${times(MANY, "warnings { code }")} }
    }`;
    expect(await call(`mutation { ${change} }`)).toMatchObject({
      body: {
        ...tooExpensive.body,
        data: { patchSiteConfig: { siteConfig: { revision: 2 }, report: null } },
      },
    });
  });
});

test("a report and a difference are created once, however often they are requested", async () => {
  const { service, account } = graphql();
  const tenant = { accountId: account.accountId, environment: "Customer" } as const;
  const loader = siteConfigs(new Loaders(service.services, tenant));
  const [noted, large] = await Promise.all(["noted", "large"].map((site) => loader.bySite.load(site)));
  if (!noted || !large) throw new Error("A site is missing.");
  const ref = ({ id, size }: typeof noted, revision: number) => ({ siteConfigId: id, revision, size });
  const [from, to] = [ref(large, 1), ref(large, 2)];
  const twice = async <Result>(load: () => Promise<Result>) => {
    const [first, second] = await Promise.all([load(), load()]);
    expect(second).toBe(first);
    expect(await load()).toBe(first);
    return first;
  };
  const lenient = await twice(() => loader.report(ref(noted, 1), false));
  const strict = await twice(() => loader.report(ref(noted, 1), true));
  expect([lenient.warnings.length, strict.errors.length]).toEqual([900, 900]);
  expect(await twice(() => loader.diff(from, to))).not.toBe(await twice(() => loader.diff(to, from)));
});

describe("a difference", () => {
  const read = (site: string, fields: string) => `{ siteConfig(site: "${site}") { ${fields} } }`;
  const list = (length: number, key = "n") => ({
    ...goodSite,
    [key]: Array.from({ length }, (_, index) => index),
  });

  test("costs by operations", async () => {
    const { call, run } = graphql();
    await changeSite(graphql(), "put", { site: "listed", document: list(0) });
    await changeSite(graphql(), "put", { site: "listed", document: list(9_000) });
    expect((await run(read("listed", times(2, "diff(from: 1)")))).siteConfig.a1).toHaveLength(9_000);
    expect(await call(read("listed", times(50, "diff(from: 1)")))).toMatchObject(tooExpensive);
  });

  test("costs by paths", async () => {
    const { call, run } = graphql();
    const key = "k".repeat(1_000);
    await changeSite(graphql(), "put", { site: "long", document: list(0, key) });
    await changeSite(graphql(), "put", { site: "long", document: list(200, key) });
    expect((await run(read("long", "diff(from: 1)"))).siteConfig.diff).toHaveLength(200);
    expect(await call(read("long", times(59, "diff(from: 1)")))).toMatchObject(tooExpensive);
  });
});

describe("a change", () => {
  const revisionOf = async (site: string) =>
    (await graphql().run("query ($site: String) { siteConfig(site: $site) { revision } }", { site }))
      .siteConfig.revision;

  test("costs by the patch, even if nothing changes", async () => {
    const { call } = graphql();
    await changeSite(graphql(), "put", { site: "patched", document: goodSite });
    const patches = times(MANY, "patchSiteConfig(input: $input) { userErrors { code } }");
    const input = { site: "patched", patch: { name: null, description: "x".repeat(LARGE) } };
    expect(await call(`mutation ($input: PatchSiteConfigInput!) { ${patches} }`, { input })).toMatchObject(
      tooExpensive,
    );
    expect(await revisionOf("patched")).toBe(1);
  });

  test("costs by the restored revision", async () => {
    const { call } = graphql();
    const restore = 'restoreSiteConfig(input: { site: "large", revision: 1 }) { userErrors { code } }';
    expect(await call(`mutation { ${times(MANY, restore)} }`)).toMatchObject(tooExpensive);
    expect(await revisionOf("large")).toBe(2 + Math.floor((50_000 * 256) / LARGE));
  });
});

describe("typed settings", () => {
  test("cost each text as often as it is returned", async () => {
    const { call, run } = graphql();
    const read = (fields: string) => `{ siteConfig(site: "named") { settings { ${fields} } } }`;
    expect((await run(read(times(2, "name")))).siteConfig.settings.a1).toHaveLength(250_000);
    expect(await call(read(times(MANY, "name")))).toMatchObject(tooExpensive);
  });

  test("cost the items of their lists, at any length", async () => {
    const { call, run } = graphql();
    const pages = Array.from({ length: 9_000 }, (_, index) => `p${index}`);
    await putOnly("paged", { ...goodSite, navigation: [{ group: "A", pages }] });
    const read = (fields: string) => `{ siteConfig(site: "paged") { settings { ${fields} } } }`;
    const field = "navigation { pages { ... on SitePage { path } } }";
    const { settings } = (await run(read(field))).siteConfig;
    expect(settings.navigation[0].pages).toHaveLength(9_000);
    expect(await call(read(times(MANY, field)))).toMatchObject(tooExpensive);
    const paths = `navigation { pages { ... on SitePage { ${times(MANY, "path")} } } }`;
    expect((await call(read(paths))).status).toBe(200);
  });
});
