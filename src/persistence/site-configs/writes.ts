import { createHash } from "node:crypto";
import type { Actor } from "../../domain/accounts/caller.js";
import type { SiteConfig } from "../../domain/site-configs/site-config.js";
import { recorded } from "../shared/audit-recording.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { SITE_CONFIGS, SiteConfigEntity, type SiteConfigRow, toSiteConfig } from "./entities.js";

// Raw SQL except for the lock: a revision and its site are written together; UPDATE … RETURNING computes columns.

const SITE_EVENT = { subjectName: "site", version: "revision" } as const;
const VISIBILITY = "CASE WHEN public_from IS NULL THEN 'site_config.closed' ELSE 'site_config.opened' END";
const CHANGES_VISIBILITY = "(former_public_from IS NULL) <> (public_from IS NULL)";

const CREATE: Statement = {
  name: "site_config_create",
  access: "write",
  text: `INSERT INTO site_config (account_id, environment, site, revision, size) VALUES ($1, $2, $3, 0, 0)
    ON CONFLICT (account_id, environment, site) DO NOTHING`,
};

// Not now(), the start of the transaction: it precedes the wait for the lock, and perhaps the time of the previous revision.
const PUBLISH: Statement = {
  name: "site_config_publish",
  access: "write",
  ...recorded(
    `UPDATE site_config SET revision = revision + 1, size = $4,
      updated_at = greatest(statement_timestamp(), updated_at), deleted_at = NULL,
      public_from = CASE WHEN coalesce($5, public_from IS NOT NULL) THEN coalesce(public_from, revision + 1) END
    FROM former WHERE account_id = $1 AND environment = $2 AND id = $3 RETURNING site_config.*, former_public_from`,
    {
      ...SITE_EVENT,
      action: "event_action",
      from: `FROM changed CROSS JOIN LATERAL (VALUES (1, ${VISIBILITY}, (${CHANGES_VISIBILITY})), (2, 'site_config.published', true))
        AS happened (event_position, event_action, has_happened) WHERE has_happened`,
      order: "event_position",
    },
    SITE_CONFIGS.columns,
    `former AS (SELECT public_from AS former_public_from FROM site_config
      WHERE account_id = $1 AND environment = $2 AND id = $3),`,
  ),
};

const ADD_REVISION: Statement = {
  name: "site_config_add_revision",
  access: "write",
  text: `INSERT INTO site_config_revision
      (account_id, environment, site_config_id, revision, text, hash, author, author_key_id, restored_from, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};

const SET_PUBLIC: Statement = {
  name: "site_config_set_public",
  access: "write",
  ...recorded(
    `UPDATE site_config SET public_from = CASE WHEN $4 THEN coalesce(public_from, revision) END
    FROM former WHERE account_id = $1 AND environment = $2 AND id = former_id RETURNING site_config.*, former_public_from`,
    { ...SITE_EVENT, action: VISIBILITY, from: `FROM changed WHERE ${CHANGES_VISIBILITY}` },
    SITE_CONFIGS.columns,
    `former AS (SELECT id AS former_id, public_from AS former_public_from FROM site_config
      WHERE account_id = $1 AND environment = $2 AND site = $3 AND deleted_at IS NULL FOR NO KEY UPDATE),`,
  ),
};

const DELETE: Statement = {
  name: "site_config_delete",
  access: "write",
  ...recorded(
    `UPDATE site_config SET deleted_at = now(), public_from = NULL
    WHERE account_id = $1 AND environment = $2 AND id = $3 RETURNING *`,
    { ...SITE_EVENT, action: "'site_config.deleted'" },
    "id",
  ),
};

export interface LockedSiteConfig extends SiteConfig {
  /** Whether the site is soft-deleted; the next revision creates it again. */
  readonly isDeleted: boolean;
}

/** Loads a site configuration, also a deleted one, and locks it until the transaction ends. */
export async function lockSiteConfig(transaction: TenantDb, site: string): Promise<LockedSiteConfig | null> {
  const where = { ...transaction.key, site };
  const manager = transaction.manager("write", "site_config_lock");
  const found = await manager.findOne(SiteConfigEntity, { where, lock: { mode: "pessimistic_write" } });
  return found && { ...toSiteConfig(found), isDeleted: found.deletedAt !== null };
}

/** Creates the row for a site's first revision if it is missing; waits for a concurrent transaction that does the same. */
export async function createSiteConfig(transaction: TenantDb, site: string): Promise<void> {
  await transaction.run(CREATE, [site]);
}

interface NewRevision {
  readonly text: string;
  readonly restoredFrom?: number | null;
  /** Null does not change it. */
  readonly isPublic?: boolean | null;
}

/** Adds a revision to a locked site configuration, which creates a deleted one again. @returns the updated configuration */
export async function addRevision(
  transaction: TenantDb,
  actor: Actor,
  { id }: SiteConfig,
  { text, restoredFrom = null, isPublic = null }: NewRevision,
): Promise<SiteConfig> {
  const hash = createHash("sha256").update(text).digest();
  const [row] = await transaction.run<SiteConfigRow>(PUBLISH, [id, Buffer.byteLength(text), isPublic]);
  if (!row) throw new Error("A locked site configuration no longer exists.");
  const { revision, updatedAt } = row;
  const author = [actor.name, actor.keyId];
  await transaction.run(ADD_REVISION, [id, revision, text, hash, ...author, restoredFrom, updatedAt]);
  return toSiteConfig(row);
}

/** Soft-deletes a locked site configuration, which also makes it private. Its revisions stay. */
export async function deleteSiteConfig(transaction: TenantDb, { id }: SiteConfig): Promise<void> {
  await transaction.run(DELETE, [id]);
}

/** Makes a site publicly readable, or not. @returns null when the site does not exist */
export async function setPublic(db: TenantDb, site: string, isPublic: boolean): Promise<SiteConfig | null> {
  const rows = await db.run<SiteConfigRow>(SET_PUBLIC, [site, isPublic]);
  return rows[0] ? toSiteConfig(rows[0]) : null;
}
