import { expect, test } from "vitest";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { holdTransaction } from "../../support/postgres/held-transaction.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { mutate, run, service } = graphql;
/** Every change with a precondition on the current revision. */
const CHANGES = [
  ["putSiteConfig", { source: { document: goodSite } }],
  ["patchSiteConfig", { patch: { name: "P" } }],
  ["restoreSiteConfig", { revision: 1 }],
  ["deleteSiteConfig", {}],
] as const;

test.for(CHANGES)(
  "%s that waited for another revision is a conflict, although the revision was the expected one before",
  async ([site, input], context) => {
    skipOnCitus(context, "locks");
    for (const name of ["One", "Two"])
      await changeSite(graphql, "put", { site, document: { ...goodSite, name } });
    const held = await holdTransaction(
      service,
      `WITH copied AS (
        INSERT INTO site_config_revision (account_id, environment, site_config_id, revision, text, hash, author)
        SELECT account_id, environment, site_config_id, 3, text, hash, 'other' FROM site_config_revision
        WHERE revision = 2 AND site_config_id = (SELECT id FROM site_config WHERE site = $1))
      UPDATE site_config SET revision = 3 WHERE site = $1`,
      [site],
    );
    const changed = mutate(site, { site, ...input, expectedRevision: 2 });
    await held.untilAwaited();
    await held.commit();
    expect((await changed).userErrors).toMatchObject([
      { code: "VERSION_CONFLICT", field: ["expectedRevision"] },
    ]);
    const { siteConfig } = await run(
      "query ($site: String!) { siteConfig(site: $site) { revision revisions { totalCount } } }",
      { site },
    );
    expect(siteConfig).toEqual({ revision: 3, revisions: { totalCount: 3 } });
  },
);
