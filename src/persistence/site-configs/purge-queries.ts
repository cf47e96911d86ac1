import { changeRows, type PurgeQueries, tenantRows } from "../shared/purge-queries.js";

// Raw SQL: pages of each site's revisions, and DELETE with several key columns.

const TENANT = tenantRows("enum");
const KEY = "account_id, environment, site_config_id, revision";

/** Old revisions of all sites, in the order of their numbers. @param sites SQL condition @param isExpired SQL condition on revisions */
function revisionsOf(sites: string, isExpired: string): string {
  return `SELECT revision.*, site.deleted_at, site.revision AS current FROM site_config AS site CROSS JOIN LATERAL (
      SELECT ${KEY}, created_at FROM site_config_revision
      WHERE ${TENANT} AND site_config_id = site.id AND ${isExpired}
    ) AS revision
    WHERE site.account_id = $1 AND site.environment = $2::text::environment AND ${sites}`;
}

function revisionPurge(expired: string, expiredSince: string): PurgeQueries {
  return {
    overdueSeconds: `(SELECT extract(epoch FROM now() - min(${expiredSince}))::double precision FROM (${expired}) AS expired)`,
    count: `(SELECT count(*) FROM (${expired}) AS expired)`,
    // The application role cannot lock revisions, which never change.
    async removeBatch(transaction, limit) {
      const removal = `DELETE FROM site_config_revision WHERE ${TENANT} AND (${KEY}) IN (
        SELECT ${KEY} FROM (${expired} LIMIT ${Number(limit)}) AS expired)`;
      const rows = await changeRows(transaction, "purge_site_config_revision", removal);
      return { rows, isLast: rows < limit };
    },
  };
}

/** Returns the queries that delete all revisions but the newest `kept` of each site. */
export function supersededRevisions(kept: number): PurgeQueries {
  const newest = Number(kept);
  return revisionPurge(
    revisionsOf(`site.revision > ${newest}`, `revision <= site.revision - ${newest}`),
    "created_at",
  );
}

/**
 * Returns the queries that delete the revisions of sites that were deleted more than `maxAgeMs` ago. The site's row stays: a revision
 * number is never reused, because replies with revisions are cached.
 */
export function revisionsOfDeletedSites(maxAgeMs: number): PurgeQueries {
  const maxAge = `interval '${Number(maxAgeMs)} milliseconds'`;
  return revisionPurge(revisionsOf(`site.deleted_at < now() - ${maxAge}`, "true"), `deleted_at + ${maxAge}`);
}
