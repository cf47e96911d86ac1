import { createHash } from "node:crypto";
import type { Actor } from "../../domain/accounts/caller.js";
import type { AuditEvent } from "../../domain/audit/entry.js";
import type { SiteConfig } from "../../domain/site-configs/site-config.js";
import { record } from "../shared/record.js";
import type { TenantTransaction } from "../shared/tenant-db.js";
import { SiteConfigEntity, SiteConfigRevisionEntity, toSiteConfig } from "./entities.js";

export interface LockedSiteConfig extends SiteConfig {
  /** Whether the site is soft-deleted; the next revision creates it again. */
  readonly isDeleted: boolean;
  /** First publicly readable revision; null while the site is not public. */
  readonly publicFrom: number | null;
}

/** Loads a site configuration, also a deleted one, and locks it until the transaction ends. */
export async function lockSiteConfig(
  transaction: TenantTransaction,
  site: string,
): Promise<LockedSiteConfig | null> {
  const where = { ...transaction.key, site };
  const manager = transaction.manager("write", "site_config_lock");
  const found = await manager.findOne(SiteConfigEntity, { where, lock: { mode: "pessimistic_write" } });
  if (!found) return null;
  return { ...toSiteConfig(found), publicFrom: found.publicFrom, isDeleted: found.deletedAt !== null };
}

/** Creates the row for a site's first revision if it is missing; waits for a concurrent transaction that does the same. */
export async function createSiteConfig(transaction: TenantTransaction, site: string): Promise<void> {
  await transaction
    .manager("write", "site_config_create")
    .createQueryBuilder()
    .insert()
    .into(SiteConfigEntity)
    .values({ ...transaction.key, site, revision: 0, size: 0 })
    .orIgnore()
    .execute();
}

interface NewRevision {
  readonly text: string;
  readonly restoredFrom?: number | null;
  /** Null does not change it. */
  readonly isPublic?: boolean | null;
}

/** Adds a revision to a locked site configuration, which creates a deleted one again. @returns the updated configuration */
export async function addRevision(
  transaction: TenantTransaction,
  actor: Actor,
  former: LockedSiteConfig,
  { text, restoredFrom = null, isPublic = null }: NewRevision,
): Promise<SiteConfig> {
  const revision = former.revision + 1;
  const publicFrom = (isPublic ?? former.isPublic) ? (former.publicFrom ?? revision) : null;
  const key = { ...transaction.key, id: former.id };
  const manager = transaction.manager("write", "site_config_publish");
  await manager.update(SiteConfigEntity, key, {
    revision,
    publicFrom,
    size: Buffer.byteLength(text),
    // Not now(), the start of the transaction: it precedes the wait for the lock, and perhaps the time of the previous revision.
    updatedAt: () => "greatest(statement_timestamp(), updated_at)",
    deletedAt: null,
  });
  const current = await manager.findOneByOrFail(SiteConfigEntity, key);
  await manager.insert(SiteConfigRevisionEntity, {
    ...transaction.key,
    siteConfigId: former.id,
    revision,
    text,
    hash: createHash("sha256").update(text).digest(),
    author: actor.name,
    authorKeyId: actor.keyId,
    restoredFrom,
    createdAt: current.updatedAt,
  });
  const subject = { subjectId: former.id, subjectName: former.site, version: revision };
  const published = { action: "site_config.published", ...subject } as const;
  await record(transaction, ...visibilityEvents(former, current), published);
  return toSiteConfig(current);
}

/** Soft-deletes a locked site configuration, which also makes it private. Its revisions stay. */
export async function deleteSiteConfig(
  transaction: TenantTransaction,
  { id, site, revision }: SiteConfig,
): Promise<void> {
  const manager = transaction.manager("write", "site_config_delete");
  const key = { ...transaction.key, id };
  await manager.update(SiteConfigEntity, key, { deletedAt: () => "now()", publicFrom: null });
  const subject = { subjectId: id, subjectName: site, version: revision };
  await record(transaction, { action: "site_config.deleted", ...subject });
}

/** Makes a locked site publicly readable, or not. */
export async function setPublic(
  transaction: TenantTransaction,
  former: LockedSiteConfig,
  isPublic: boolean,
): Promise<SiteConfig> {
  if (former.isPublic === isPublic) return former;
  const publicFrom = isPublic ? former.revision : null;
  const manager = transaction.manager("write", "site_config_set_public");
  await manager.update(SiteConfigEntity, { ...transaction.key, id: former.id }, { publicFrom });
  const current = { ...former, publicFrom, isPublic };
  await record(transaction, ...visibilityEvents(former, current));
  return current;
}

function visibilityEvents(
  former: Pick<SiteConfigEntity, "publicFrom">,
  { id, site, revision, publicFrom }: Pick<SiteConfigEntity, "id" | "site" | "revision" | "publicFrom">,
): AuditEvent[] {
  if ((former.publicFrom === null) === (publicFrom === null)) return [];
  const action = publicFrom === null ? "site_config.closed" : "site_config.opened";
  return [{ action, subjectId: id, subjectName: site, version: revision }];
}
