import { expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";
import { getSite } from "../../support/site-configs/http.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { keys, run, service } = graphql;
const text = `${JSON.stringify(goodSite)}\n`;

const NEW_NAMES: readonly (readonly [name: string, isValid: boolean])[] = [
  ["A", true],
  ["0-9_a.Z", true],
  ["a..b", true],
  ["a".repeat(64), true],
  ["a".repeat(65), false],
  ...["", ".", "..", ".a", "-a", "_a", "a b", " ", "a/b", "../../etc/passwd", "<img src=x>", "a?b"].map(
    (name) => [name, false] as const,
  ),
  ...["a\n", "a%2f", "ä", "\u202ea", "\u0000"].map((name) => [name, false] as const),
];

test.each(NEW_NAMES)("a new site may be named %j: %s", async (site, isValid) => {
  const invalid = { code: "INVALID_FIELD", field: ["site"] };
  expect(await changeSite(graphql, "put", { site, text })).toMatchObject(
    isValid ? { siteConfig: { site }, userErrors: [] } : { siteConfig: null, userErrors: [invalid] },
  );
  // URL resolves dot segments, and fetches refuse an empty one.
  if (["", ".", ".."].includes(site)) return;
  const url = `${service.url}/site-config/${encodeURIComponent(site)}`;
  expect(await callRest(url, "PUT", keys.admin, text)).toMatchObject(
    isValid ? { status: 200 } : { status: 400, body: { error: { code: "invalid_field", field: "site" } } },
  );
});

test("sites of earlier versions can have other names: they are read, changed and deleted, but not created again", async () => {
  const site = "../<old> name";
  await changeSite(graphql, "put", { site: "old", text });
  await service.query("UPDATE site_config SET site = $1 WHERE site = 'old'", [site]);
  const path = encodeURIComponent(site);
  expect(await getSite(graphql, path)).toMatchObject({ status: 200, text });
  expect(await changeSite(graphql, "patch", { site, patch: { name: "B" } })).toMatchObject({
    siteConfig: { site, revision: 2 },
  });
  const url = `${service.url}/site-config/${path}`;
  expect(await callRest(url, "PUT", keys.admin, text)).toMatchObject({
    status: 200,
    body: { revision: 3 },
  });
  const { deleteSiteConfig } = await run(
    `mutation ($site: String!) { deleteSiteConfig(input: { site: $site }) { userErrors { code } } }`,
    { site },
  );
  expect(deleteSiteConfig.userErrors).toEqual([]);
  expect(await callRest(url, "PUT", keys.admin, text)).toMatchObject({ status: 400 });
});
