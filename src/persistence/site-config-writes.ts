import { createHash } from "node:crypto";
import type { Tenant } from "../domain/caller.js";
import type { Editor, SiteConfig } from "../domain/site-config/site-config.js";
import type { Queryable } from "./database.js";
import { SITE_CONFIG_COLUMNS, type SiteConfigRow, toSiteConfig } from "./site-config-entity.js";

const LOCK = {
  name: "site_config_lock",
  text: `SELECT ${SITE_CONFIG_COLUMNS} FROM site_config
    WHERE account_id = $1 AND environment = $2 AND site = $3 FOR UPDATE`,
};

const CREATE = {
  name: "site_config_create",
  text: `INSERT INTO site_config (account_id, environment, site, revision, size) VALUES ($1, $2, $3, 0, 0)
    ON CONFLICT (account_id, environment, site) DO NOTHING`,
};

const ADD_REVISION = {
  name: "site_config_add_revision",
  text: `INSERT INTO site_config_revision
      (account_id, environment, site_config_id, revision, text, hash, author, author_key_id, restored_from)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};

const ADVANCE = {
  name: "site_config_advance",
  text: `UPDATE site_config SET revision = $4, size = $5, is_public = coalesce($6, is_public), updated_at = now()
    WHERE account_id = $1 AND environment = $2 AND id = $3 RETURNING ${SITE_CONFIG_COLUMNS}`,
};

const SET_PUBLIC = {
  name: "site_config_set_public",
  text: `UPDATE site_config SET is_public = $4 WHERE account_id = $1 AND environment = $2 AND site = $3
    RETURNING ${SITE_CONFIG_COLUMNS}`,
};

/** The configuration of a site, locked until the transaction ends. */
export async function lockSiteConfig(
  transaction: Queryable,
  { accountId, environment }: Tenant,
  site: string,
): Promise<SiteConfig | null> {
  const rows = await transaction.run<SiteConfigRow>(LOCK, [accountId, environment, site]);
  return rows[0] ? toSiteConfig(rows[0]) : null;
}

/** Makes room for the first revision of a site that has none; waits for whoever does the same. */
export async function createSiteConfig(
  transaction: Queryable,
  { accountId, environment }: Tenant,
  site: string,
): Promise<void> {
  await transaction.run(CREATE, [accountId, environment, site]);
}

/** What a new revision is made of. */
export interface NewRevision {
  readonly text: string;
  readonly restoredFrom: number | null;
  /** Null leaves it as it is. */
  readonly isPublic: boolean | null;
}

/** Adds a revision to a locked site configuration. @returns what the configuration is then */
export async function addRevision(
  transaction: Queryable,
  { accountId, environment, actor }: Editor,
  { id, revision: latest }: SiteConfig,
  { text, restoredFrom, isPublic }: NewRevision,
): Promise<SiteConfig> {
  const revision = latest + 1;
  const hash = createHash("sha256").update(text).digest();
  await transaction.run(ADD_REVISION, [
    accountId,
    environment,
    id,
    revision,
    text,
    hash,
    actor.name,
    actor.keyId,
    restoredFrom,
  ]);
  const size = Buffer.byteLength(text);
  const rows = await transaction.run<SiteConfigRow>(ADVANCE, [
    accountId,
    environment,
    id,
    revision,
    size,
    isPublic,
  ]);
  if (!rows[0]) throw new Error("A locked site configuration is gone.");
  return toSiteConfig(rows[0]);
}

/** Opens a site to everybody, or closes it. @returns null when there is no such site */
export async function setPublic(
  db: Queryable,
  { accountId, environment }: Tenant,
  site: string,
  isPublic: boolean,
): Promise<SiteConfig | null> {
  const rows = await db.run<SiteConfigRow>(SET_PUBLIC, [accountId, environment, site, isPublic]);
  return rows[0] ? toSiteConfig(rows[0]) : null;
}
