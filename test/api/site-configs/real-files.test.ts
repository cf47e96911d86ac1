import { request } from "undici";
import { expect, test } from "vitest";
import { REFUSED, readRealFile, realFiles } from "../../../packages/site-config/test/real-files.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { changeSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { keys, run, service } = graphql;

test.skipIf(realFiles.length === 0)(
  "stores every valid real file and returns it unchanged as text, as a document and over HTTP",
  async () => {
    for (const [index, name] of realFiles.entries()) {
      const site = `real-${index}`;
      const text = readRealFile(name);
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
