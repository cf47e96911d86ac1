import { beforeAll, describe, expect, test } from "vitest";
import { times } from "../../support/graphql/graphql-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { call, mutate, run } = graphql;
const MANY = 58;
const LARGE = 225_000;

const extensions = expect.objectContaining({ code: "QUERY_TOO_EXPENSIVE", limit: 50_000 });
const tooExpensive = { body: { errors: expect.arrayContaining([expect.objectContaining({ extensions })]) } };

const aliased = (count: number, field: string) => times(count, (index) => `a${index}: ${field}`);
/** A valid document with that many warnings. */
const noted = (findings: number) => ({
  ...goodSite,
  ...Object.fromEntries(Array.from({ length: findings }, (_, index) => [`${"k".repeat(270)}${index}`, 0])),
});
const padded = (document: object, size: number) => JSON.stringify(document).padEnd(size);

const list = (length: number) => Array.from({ length }, (_, index) => index);

/** Puts a document without reading its report. */
const putOnly = (site: string, document: object) => mutate("putSiteConfig", { site, source: { document } });

beforeAll(async () => {
  await changeSite(graphql, "put", { site: "named", document: { ...goodSite, name: "n".repeat(250_000) } });
  await changeSite(graphql, "put", { site: "large", text: padded(goodSite, LARGE) });
  await changeSite(graphql, "put", { site: "large", document: goodSite });
  await putOnly("noted", noted(900));
  await putOnly("paged", { ...goodSite, navigation: [{ group: "A", pages: list(9_000).map(String) }] });
  const key = "k".repeat(1_000);
  for (const length of [0, 9_000]) await putOnly("listed", { ...goodSite, n: list(length) });
  for (const length of [0, 200]) await putOnly("long", { ...goodSite, [key]: list(length) });
});

type Cost = readonly [
  what: string,
  allowed: number,
  refused: number,
  query: (count: number) => string,
  variables?: Readonly<Record<string, unknown>>,
];

const validated = (fields: string) => (count: number) =>
  `query ($source: SiteConfigSource!) { ${aliased(count, `validateSiteConfig(source: $source) { ${fields} }`)} }`;
const stored = (site: string, fields: (count: number) => string) => (count: number) =>
  `{ siteConfig(site: "${site}") { ${fields(count)} } }`;
const repeated = (field: string) => (count: number) => aliased(count, field);

const PAGES = "settings { navigation { pages { ... on SitePage { path } } } }";
const NOTED = { source: { document: noted(900) } };
const LONG_TEXT = { source: { text: padded(goodSite, LARGE) } };
const LONG_DOCUMENT = { source: { document: { ...goodSite, description: "x".repeat(LARGE) } } };

const costs: readonly Cost[] = [
  ["a validated text", 1, MANY, validated("isValid"), LONG_TEXT],
  ["a validated document", 1, MANY, validated("isValid"), LONG_DOCUMENT],
  ["its findings", 20, MANY, validated("isValid"), NOTED],
  ["its findings in the reply", 1, 20, validated("warnings { code }"), NOTED],
  ["findings of a stored document", 4, MANY, stored("noted", repeated("report { warnings { code } }"))],
  [
    "those of one report",
    4,
    MANY,
    stored("noted", (count) => `report { ${aliased(count, "warnings { code }")} }`),
  ],
  [
    "their texts",
    4,
    MANY,
    stored("noted", (count) => `report { warnings { ${aliased(count, "pointer")} } }`),
  ],
  [
    "warnings as errors",
    4,
    MANY,
    stored("noted", (count) => `report(strict: true) { ${aliased(count, "errors { code }")} }`),
  ],
  ["a stored text", 2, MANY, stored("named", repeated("text"))],
  ["a stored document", 2, MANY, stored("named", repeated("document"))],
  ["operations of a difference", 2, 50, stored("listed", repeated("diff(from: 1)"))],
  ["paths of a difference", 1, 59, stored("long", repeated("diff(from: 1)"))],
  ["a text of the settings", 2, MANY, stored("named", repeated("settings { name }"))],
  ["items of the settings' lists", 1, MANY, stored("paged", repeated(PAGES))],
];

test.for(costs)("%s: %i cost little enough, %i too much", async ([_, allowed, refused, query, variables]) => {
  await run(query(allowed), variables);
  expect(await call(query(refused), variables)).toMatchObject(tooExpensive);
});

test("a stored document's report is omitted from a mutation's reply when too large; the change is kept", async () => {
  const change = `patchSiteConfig(input: { site: "noted", patch: {} }) {
    siteConfig { revision } report { ${aliased(MANY, "warnings { code }")} }
  }`;
  expect(await call(`mutation { ${change} }`)).toMatchObject({
    body: {
      ...tooExpensive.body,
      data: { patchSiteConfig: { siteConfig: { revision: 2 }, report: null } },
    },
  });
});

describe("a change", () => {
  const revisionOf = async (site: string) =>
    (await run("query ($site: String) { siteConfig(site: $site) { revision } }", { site })).siteConfig
      .revision;

  test("costs by the patch, even if nothing changes", async () => {
    await changeSite(graphql, "put", { site: "patched", document: goodSite });
    const patches = aliased(MANY, "patchSiteConfig(input: $input) { userErrors { code } }");
    const input = { site: "patched", patch: { name: null, description: "x".repeat(LARGE) } };
    expect(await call(`mutation ($input: PatchSiteConfigInput!) { ${patches} }`, { input })).toMatchObject(
      tooExpensive,
    );
    expect(await revisionOf("patched")).toBe(1);
  });

  test("costs by the restored revision", async () => {
    const restore = 'restoreSiteConfig(input: { site: "large", revision: 1 }) { userErrors { code } }';
    expect(await call(`mutation { ${aliased(MANY, restore)} }`)).toMatchObject(tooExpensive);
    expect(await revisionOf("large")).toBe(2 + Math.floor((50_000 * 256) / LARGE));
  });
});
