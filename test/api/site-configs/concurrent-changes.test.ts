import { expect, test } from "vitest";
import { measureJson } from "../../../src/domain/site-configs/document-source.js";
import { SiteConfigService, SiteConfigWork } from "../../../src/services/site-configs/service.js";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { holdTransaction } from "../../support/postgres/held-transaction.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { account, mutate, run, service } = graphql;
const put = (input: object) => changeSite(graphql, "put", { ...input });

/** A function that is interrupted by another one on each call. */
class InterruptedWork extends SiteConfigWork {
  readonly #interrupt: () => Promise<unknown>;

  constructor(interrupt: () => Promise<unknown>) {
    super();
    this.#interrupt = interrupt;
  }

  override async run<Output>(task: () => Output): Promise<Output> {
    const output = await super.run(task);
    await this.#interrupt();
    return output;
  }
}

/** Patches a site's name. @param interrupt runs while the patch is applied */
async function rename(site: string, interrupt: () => Promise<unknown>) {
  const editor = {
    accountId: account.accountId,
    environment: "Customer",
    actor: { name: "cli", keyId: null, requestId: null },
  } as const;
  const patch = measureJson({ name: "Patched" }, ["patch"]);
  const options = { expectedRevision: null, strict: false };
  const siteConfigs = new SiteConfigService(service.database, new InterruptedWork(interrupt));
  return siteConfigs.patch(editor, site, { ...options, patch });
}

const current = async (site: string) =>
  (await run("query ($site: String!) { siteConfig(site: $site) { revision document } }", { site }))
    .siteConfig;

test("a patch overtaken by another change is applied to the new revision and holds no connection meanwhile", async () => {
  await put({ site: "overtaken", document: goodSite });
  let times = 0;
  const outcome = await rename("overtaken", async () => {
    times += 1;
    await expect.poll(() => service.database.poolUsage.used).toBe(0);
    if (times === 1) await put({ site: "overtaken", document: { ...goodSite, favicon: "/new.png" } });
  });
  expect(outcome).toMatchObject({ siteConfig: { revision: 3 }, report: { valid: true } });
  expect(times).toBe(2);
  expect(await current("overtaken")).toEqual({
    revision: 3,
    document: { ...goodSite, favicon: "/new.png", name: "Patched" },
  });
});

test("a patch that is overtaken repeatedly is a conflict and stores nothing", async () => {
  await put({ site: "busy", document: goodSite });
  let times = 0;
  const patched = rename("busy", async () => {
    times += 1;
    await put({ site: "busy", document: { ...goodSite, favicon: `/${times}.png` } });
  });
  await expect(patched).rejects.toMatchObject({ code: "version_conflict", field: ["patch"] });
  expect(times).toBe(4);
  expect(await current("busy")).toEqual({ revision: 5, document: { ...goodSite, favicon: "/4.png" } });
});

test("concurrent patches are all applied", async () => {
  await put({ site: "crowded", document: goodSite });
  const patches = [{ name: "New" }, { favicon: "/n.png" }, { colors: { primary: "#123456" } }];
  const payloads = await Promise.all(
    patches.map((patch) => changeSite(graphql, "patch", { site: "crowded", patch })),
  );
  expect(payloads.map(({ userErrors }) => userErrors)).toEqual([[], [], []]);
  expect(await current("crowded")).toEqual({
    revision: 4,
    document: { ...goodSite, ...Object.assign({}, ...patches) },
  });
});

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
