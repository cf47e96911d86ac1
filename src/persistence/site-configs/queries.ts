import { Any } from "typeorm";
import type { Page, PageRequest } from "../../domain/shared/page.js";
import type { RevisionRef, SiteConfig, SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import { pageClauses, StatementValues } from "../shared/keyset.js";
import { groupPages, type TenantTable } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { SITE_CONFIG_COLUMNS, SiteConfigEntity, type SiteConfigRow, toSiteConfig } from "./entity.js";
import { SITE_CONFIG_REVISION_COLUMNS } from "./revision-entity.js";

// TypeORM, but for lateral pages, pairs of keys, and texts that are left out when the reader has them already.

/** Site configurations, by the names of the sites. */
export const SITE_CONFIGS: TenantTable<SiteConfigRow, SiteConfig> = {
  name: "site_config",
  columns: SITE_CONFIG_COLUMNS,
  toItem: toSiteConfig,
  keyset: { column: "site", type: "text", idColumn: "site", direction: "ascending" },
};

const OF_REFS = `FROM site_config_revision WHERE account_id = $1 AND environment = $2
  AND (site_config_id, revision) IN (SELECT * FROM unnest($3::integer[], $4::integer[]))`;

const REVISIONS: Statement = {
  name: "site_config_revisions",
  access: "read",
  text: `SELECT ${SITE_CONFIG_REVISION_COLUMNS} ${OF_REFS}`,
};

const TEXTS: Statement = {
  name: "site_config_texts",
  access: "read",
  text: `SELECT site_config_id AS "siteConfigId", revision, text ${OF_REFS}`,
};

const SERVED: Statement = {
  name: "site_config_served",
  access: "read",
  text: `SELECT revision, hash, CASE WHEN coalesce(hash = ANY ($6::bytea[]), true) THEN NULL ELSE text END AS text
    FROM site_config_revision WHERE (account_id, environment, site_config_id, revision) = (
      SELECT account_id, environment, id, coalesce($5, revision) FROM site_config
      WHERE account_id = $1 AND environment = $2 AND site = $3
        AND (NOT $4::boolean OR coalesce($5, revision) >= public_from))`,
};

/** The tenant's configurations of these sites, in no order. */
export async function findSiteConfigsBySites(db: TenantDb, sites: readonly string[]): Promise<SiteConfig[]> {
  const manager = db.manager("read", "site_configs_by_sites");
  return (await manager.findBy(SiteConfigEntity, { ...db.key, site: Any([...sites]) })).map(toSiteConfig);
}

/** For each site configuration the same page of its revisions, newest first. One statement for all. */
export async function listRevisions(
  db: TenantDb,
  siteConfigIds: readonly number[],
  page: PageRequest,
): Promise<ReadonlyMap<number, Page<SiteConfigRevision>>> {
  const values = new StatementValues();
  const conditions = ["account_id = $1", "environment = $2", "site_config_id = asked.id"];
  const asked = values.add(siteConfigIds);
  const keyset = {
    column: "revision",
    type: "integer",
    idColumn: "revision",
    direction: "descending",
  } as const;
  const clauses = pageClauses("site_config_revision", keyset, page, values);
  const text = `SELECT found.* FROM unnest(${asked}::integer[]) AS asked (id)
    CROSS JOIN LATERAL (
      SELECT ${SITE_CONFIG_REVISION_COLUMNS} FROM site_config_revision
      WHERE ${[...conditions, ...clauses.conditions].join(" AND ")} ${clauses.orderAndLimit}
    ) AS found
    ORDER BY found."siteConfigId", found.revision ${page.from === "start" ? "DESC" : "ASC"}`;
  const rows = await db.run<SiteConfigRevision>({ access: "read", text }, values.list);
  return groupPages(
    rows.map((row) => [row.siteConfigId, row]),
    page,
  );
}

/** Those of these revisions that exist, in no order. */
export async function findRevisions(
  db: TenantDb,
  refs: readonly RevisionRef[],
): Promise<SiteConfigRevision[]> {
  return db.run<SiteConfigRevision>(REVISIONS, refValues(refs));
}

/** The texts of those of these revisions that exist, in no order. */
export async function findTexts(
  db: TenantDb,
  refs: readonly RevisionRef[],
): Promise<(RevisionRef & { readonly text: string })[]> {
  return db.run<RevisionRef & { readonly text: string }>(TEXTS, refValues(refs));
}

/** What is served to those who may read a site. */
export interface ServedRow {
  readonly revision: number;
  /** SHA-256 of the text. */
  readonly hash: Buffer;
  /** Null when its hash is one of those that are known already. */
  readonly text: string | null;
}

/** The current or another revision of a site's configuration. @returns null when there is none, also none that is public if it must be */
export async function findServedText(
  db: TenantDb,
  asked: {
    readonly site: string;
    readonly revision: number | null;
    /** Whether the revision must be one that everybody may read. */
    readonly publicOnly: boolean;
    /** Null when every text is known. */
    readonly knownHashes: readonly Buffer[] | null;
  },
): Promise<ServedRow | null> {
  const { site, revision, publicOnly, knownHashes } = asked;
  const rows = await db.run<ServedRow>(SERVED, [site, publicOnly, revision, knownHashes]);
  return rows[0] ?? null;
}

function refValues(refs: readonly RevisionRef[]): unknown[] {
  return [refs.map(({ siteConfigId }) => siteConfigId), refs.map(({ revision }) => revision)];
}
