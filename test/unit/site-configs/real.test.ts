import { existsSync, readdirSync, readFileSync } from "node:fs";
import { request } from "undici";
import { expect, test } from "vitest";
import { type SiteConfigCode } from "../../../src/domain/site-configs/findings.js";
import { validateSiteConfigText } from "../../../src/domain/site-configs/validate-site-config.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { changeSite } from "../../support/site-configs/store.js";

/** Real files, stored outside the repository. */
const folder = new URL("../../../../shared/site-config/real/", import.meta.url);
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];

/** The only ones that decision 17 rejects, and why. */
const REFUSED: Readonly<Record<string, readonly (readonly [SiteConfigCode, string])[]>> = {
  "AetherLinkApp__aetherlink-docs__docs__mint.json": [["wrong_type", "/colors/background"]],
  "ml-in-barcelona__server-reason-react__documentation__mint.json": [["docs_json_format", "/navigation"]],
  "neus__network__docs__mint.json": [["docs_json_format", "/navigation"]],
  "neus__network__mint.json": [["docs_json_format", "/navigation"]],
};

const graphql = await startGraphql();
const { keys, run, service } = graphql;

test.skipIf(names.length === 0)("rejects only the real files that decision 17 lists", () => {
  expect(names.length).toBeGreaterThanOrEqual(112);
  const refused = names.flatMap((name) => {
    const { valid, errors } = validateSiteConfigText(read(name), { strict: false });
    return valid ? [] : [[name, errors.map(({ code, pointer }) => [code, pointer])]];
  });
  expect(Object.fromEntries(refused)).toEqual(REFUSED);
});

test.skipIf(names.length === 0)("accepts at least 90 real files in strict mode", () => {
  const accepted = names.filter((name) => validateSiteConfigText(read(name), { strict: true }).valid);
  expect(accepted.length).toBeGreaterThanOrEqual(90);
});

test.skipIf(names.length === 0)("reports each finding once, in document order", () => {
  for (const name of names) {
    const { errors, notices } = validateSiteConfigText(read(name), { strict: true });
    const findings = [...errors, ...notices].map(
      ({ code, pointer, message }) => `${code} ${pointer} ${message}`,
    );
    expect(new Set(findings).size).toBe(findings.length);
    const places = errors.map(({ line = 0, column = 0 }) => line * 100_000 + column);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  }
});

test.skipIf(names.length === 0)(
  "stores every valid real file and returns it unchanged as text, as a document and over HTTP",
  async () => {
    for (const [index, name] of names.entries()) {
      const site = `real-${index}`;
      const text = read(name);
      const { siteConfig } = await changeSite(graphql, "put", { site, text });
      expect(siteConfig === null, name).toBe(name in REFUSED);
      if (siteConfig === null) continue;
      expect(siteConfig.text).toBe(text);
      expect(JSON.stringify(siteConfig.document)).toBe(JSON.stringify(JSON.parse(text)));
      const headers = { authorization: `Token ${keys.read}` };
      const reply = await request(`${service.url}/site-config/${site}`, { headers });
      expect(await reply.body.text()).toBe(text);
      const again = await changeSite(graphql, "put", { site: `${site}-again`, document: JSON.parse(text) });
      expect(again.siteConfig.document).toEqual(JSON.parse(text));
      expect(Object.keys(again.siteConfig.document)).toEqual(Object.keys(JSON.parse(text)));
      const patched = await changeSite(graphql, "patch", { site, patch: {} });
      expect(patched.siteConfig).toMatchObject({ revision: 2, text });
      const settings = "settings { name navigation { group pages { __typename } } modeToggle { isHidden } }";
      const query = `query ($site: String) { siteConfig(site: $site) { ${settings} } }`;
      const shown = (await run(query, { site })).siteConfig.settings;
      expect(shown.name).toBe(JSON.parse(text).name);
      expect(shown.navigation).toHaveLength(JSON.parse(text).navigation.length);
    }
  },
);

function read(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}
