import { Any, IsNull } from "typeorm";
import type { Page, PageRequest } from "../../domain/shared/pagination.js";
import { SITE_CONFIG_ORDER, type SiteConfigFilter } from "../../domain/site-configs/list.js";
import type { RevisionRef, SiteConfig, SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import { inRange, startsWith } from "../shared/keyset.js";
import { defineList, findPages, groupPages, tenantList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import { TENANT_COLUMNS, tableOf } from "../shared/table.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { SITE_CONFIGS, SiteConfigEntity, SiteConfigRevisionEntity, toSiteConfig } from "./entities.js";

// Raw SQL for lateral pages, pairs of keys, and texts that are omitted when the client has them already.

/** Site configurations, without deleted ones. */
export const SITE_CONFIG_LIST = defineList({
  table: SITE_CONFIGS,
  order: SITE_CONFIG_ORDER,
  toItem: toSiteConfig,
  condition: "deleted_at IS NULL",
  conditions: ({ siteStartsWith, updatedAt }: SiteConfigFilter, values) => [
    siteStartsWith !== undefined && startsWith("site", siteStartsWith, values),
    ...inRange("updated_at", updatedAt, values),
  ],
});

const REVISION = tableOf(SiteConfigRevisionEntity, [...TENANT_COLUMNS, "text", "hash"]);
const REVISION_COLUMNS = `${REVISION.columns}, octet_length(text) AS size`;

const FROM_REFS = `FROM site_config_revision WHERE account_id = $1 AND environment = $2
  AND (site_config_id, revision) IN (SELECT * FROM unnest($3::bigint[], $4::integer[]))`;

const REVISIONS: Statement = {
  name: "site_config_revisions",
  access: "read",
  text: `SELECT ${REVISION_COLUMNS} ${FROM_REFS} AND site_config_id IN (
    SELECT id FROM site_config
    WHERE account_id = $1 AND environment = $2 AND id = ANY ($3::bigint[]) AND deleted_at IS NULL)`,
};

const TEXTS: Statement = {
  name: "site_config_texts",
  access: "read",
  text: `SELECT site_config_id AS "siteConfigId", revision, text ${FROM_REFS}`,
};

const SERVED: Statement = {
  name: "site_config_served",
  access: "read",
  text: `SELECT revision, hash, CASE WHEN coalesce(hash = ANY ($6::bytea[]), true) THEN NULL ELSE text END AS text
    FROM site_config_revision WHERE account_id = $1 AND environment = $2 AND (site_config_id, revision) = (
      SELECT id, coalesce($5, revision) FROM site_config
      WHERE account_id = $1 AND environment = $2 AND site = $3 AND deleted_at IS NULL
        AND (NOT $4::boolean OR coalesce($5, revision) >= public_from))`,
};

/** Finds the tenant's configurations by site, in no particular order. */
export async function findSiteConfigsBySites(db: TenantDb, sites: readonly string[]): Promise<SiteConfig[]> {
  const manager = db.manager("read", "site_configs_by_sites");
  const where = { ...db.key, site: Any([...sites]), deletedAt: IsNull() };
  return (await manager.findBy(SiteConfigEntity, where)).map(toSiteConfig);
}

/** Lists, with one statement, the same page of each site configuration's revisions, newest first. */
export async function listRevisions(
  db: TenantDb,
  siteConfigIds: readonly number[],
  page: PageRequest,
): Promise<Page<SiteConfigRevision>[]> {
  const keyset = {
    column: "revision",
    type: "integer",
    idColumn: "revision",
    direction: "descending",
  } as const;
  const selection = { ...REVISION, columns: REVISION_COLUMNS, keyset };
  const of = { column: "site_config_id", ids: siteConfigIds, page };
  const list = tenantList(() => []);
  const rows = await findPages<SiteConfigRevision>(db, selection, of, list);
  return groupPages(
    siteConfigIds,
    rows.map((row) => [row.siteConfigId, row]),
    page,
  );
}

/** Finds revisions; missing ones are omitted, in no particular order. */
export async function findRevisions(
  db: TenantDb,
  refs: readonly RevisionRef[],
): Promise<SiteConfigRevision[]> {
  return db.run<SiteConfigRevision>(REVISIONS, refValues(refs));
}

/** Finds the texts of revisions; missing ones are omitted, in no particular order. */
export async function findTexts(
  db: TenantDb,
  refs: readonly RevisionRef[],
): Promise<(RevisionRef & { readonly text: string })[]> {
  return db.run<RevisionRef & { readonly text: string }>(TEXTS, refValues(refs));
}

/** The text of a revision as served to clients. */
export interface ServedRow {
  readonly revision: number;
  /** SHA-256 of the text. */
  readonly hash: Buffer;
  /** Null when the client already has it, according to `knownHashes`. */
  readonly text: string | null;
}

/** A request for the text of a site. */
export interface ServedRequest {
  readonly site: string;
  /** Null for the current revision. */
  readonly revision: number | null;
  /** SHA-256 hashes of texts that the client has cached; null to return the text in any case. */
  readonly knownHashes: readonly Buffer[] | null;
}

/** Finds the requested revision. @returns null when it does not exist, or with `publicOnly` when it is not public */
export async function findServedText(
  db: TenantDb,
  { site, revision, knownHashes }: ServedRequest,
  { publicOnly }: { readonly publicOnly: boolean },
): Promise<ServedRow | null> {
  const rows = await db.run<ServedRow>(SERVED, [site, publicOnly, revision, knownHashes]);
  return rows[0] ?? null;
}

function refValues(refs: readonly RevisionRef[]): unknown[] {
  return [refs.map(({ siteConfigId }) => siteConfigId), refs.map(({ revision }) => revision)];
}
