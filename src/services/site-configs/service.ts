import { DomainError } from "../../domain/shared/errors.js";
import type { SiteConfigReport } from "../../domain/site-configs/report.js";
import {
  type Editor,
  missingRevision,
  missingSite,
  requireSize,
  type SiteConfig,
} from "../../domain/site-configs/site-config.js";
import type { TaskOutputs } from "../../domain/site-configs/tasks.js";
import type { SiteConfigOptions } from "../../domain/site-configs/validate-site-config.js";
import type { WrittenJson, WrittenSource } from "../../domain/site-configs/written-source.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import { findSiteConfigsBySites, findTexts } from "../../persistence/site-configs/queries.js";
import {
  addRevision,
  createSiteConfig,
  lockSiteConfig,
  setPublic,
} from "../../persistence/site-configs/writes.js";
import type { SiteConfigWork } from "./work.js";

/** How often a patch is applied anew because another change came first, and the first time. */
const MAX_PATCH_ATTEMPTS = 4;

/** On what condition a site is changed. */
export interface ChangeOptions {
  /** The number of the revision that the change is made to; 0 where there must be none yet; null for any. */
  readonly expectedRevision: number | null;
}

/** What became of a change: a document with errors is not stored. */
export interface ChangeOutcome {
  /** Null when nothing was changed, because of the errors in the report. */
  readonly siteConfig: SiteConfig | null;
  readonly report: SiteConfigReport;
}

/** Keeps the configurations of documentation sites: each change is a new revision, and none of them is invalid. */
export class SiteConfigService {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Stores a document, as the first revision of a site that has none.
   * @throws DomainError `invalid_field` for a document that is too large, `version_conflict`
   */
  async put(
    editor: Editor,
    site: string,
    source: WrittenSource,
    options: ChangeOptions & SiteConfigOptions & { readonly isPublic: boolean | null },
    work: SiteConfigWork,
  ): Promise<ChangeOutcome> {
    if ("text" in source) requireSize(source.text, ["text"]);
    const { report, written } = await work.run("prepare", { source, strict: options.strict });
    const text = report.valid && "text" in source ? source.text : written;
    if (text === null) return { siteConfig: null, report };
    const siteConfig = await this.#db.for(editor).transaction(async (transaction) => {
      const current = await this.#lockOrCreate(transaction, editor, site);
      requireRevision(current, options.expectedRevision);
      const revision = { text, restoredFrom: null, isPublic: options.isPublic };
      return addRevision(transaction, editor.actor, current, revision);
    });
    return { siteConfig, report };
  }

  /**
   * Changes the current document by a merge patch (RFC 7396); what the patch does not touch stays as it is written.
   * @throws DomainError `site_config_not_found`, `version_conflict`, also when other changes come first again and again, `invalid_field`
   * for a patch that is too large, or makes the document so
   */
  async patch(
    editor: Editor,
    site: string,
    patch: WrittenJson,
    options: ChangeOptions & SiteConfigOptions,
    work: SiteConfigWork,
  ): Promise<ChangeOutcome> {
    requireSize(patch.json, patch.field);
    for (let attempt = 1; attempt <= MAX_PATCH_ATTEMPTS; attempt += 1) {
      const seen = await this.#find(editor, site, options);
      const text = await readText(this.#db.for(editor), seen, seen.revision);
      // It may take seconds, so no lock is held meanwhile.
      const patched = await work.run("patch", { text, patch, strict: options.strict });
      const outcome = await this.#storePatched(editor, site, seen, patched, options);
      if (outcome) return outcome;
    }
    throw new DomainError("version_conflict", "Other changes came first again and again. Try again.", {
      field: patch.field,
    });
  }

  /** @returns null when another change came since the revision that was seen; nothing is stored then */
  async #storePatched(
    editor: Editor,
    site: string,
    seen: SiteConfig,
    { report, written }: TaskOutputs["patch"],
    options: ChangeOptions,
  ): Promise<ChangeOutcome | null> {
    return this.#db.for(editor).transaction(async (transaction) => {
      const current = await lock(transaction, editor, site);
      requireRevision(current, options.expectedRevision);
      if (current.revision !== seen.revision) return null;
      if (written === null) return { siteConfig: null, report };
      const revision = { text: written, restoredFrom: null, isPublic: null };
      return { siteConfig: await addRevision(transaction, editor.actor, current, revision), report };
    });
  }

  /**
   * Brings an earlier revision back, as a new one.
   * @throws DomainError `site_config_not_found`, also for a revision that does not exist, and `version_conflict`
   */
  async restore(
    editor: Editor,
    site: string,
    restoredFrom: number,
    options: ChangeOptions,
    work: SiteConfigWork,
  ): Promise<ChangeOutcome> {
    const seen = await this.#find(editor, site, options);
    const text = await readText(this.#db.for(editor), seen, restoredFrom);
    // The rules may have changed since it was written. The text of a revision never does, so no lock is needed yet.
    const report = await work.run("check", { source: { text }, strict: false });
    if (!report.valid) return { siteConfig: null, report };
    const siteConfig = await this.#db.for(editor).transaction(async (transaction) => {
      const current = await lock(transaction, editor, site);
      requireRevision(current, options.expectedRevision);
      return addRevision(transaction, editor.actor, current, { text, restoredFrom, isPublic: null });
    });
    return { siteConfig, report };
  }

  /** Opens a site to everybody, or closes it; this is no new revision. @throws DomainError `site_config_not_found` */
  async setPublic(editor: Editor, site: string, isPublic: boolean): Promise<SiteConfig> {
    const changed = await setPublic(this.#db.for(editor), site, isPublic);
    if (changed) return changed;
    throw missingSite(editor, site);
  }

  async #lockOrCreate(transaction: TenantDb, editor: Editor, site: string): Promise<SiteConfig> {
    const found = await lockSiteConfig(transaction, site);
    if (found) return found;
    await createSiteConfig(transaction, site);
    return lock(transaction, editor, site);
  }

  /** The site as it is now, without a lock. @throws DomainError `site_config_not_found`, `version_conflict` */
  async #find(editor: Editor, site: string, { expectedRevision }: ChangeOptions): Promise<SiteConfig> {
    const [found] = await findSiteConfigsBySites(this.#db.for(editor), [site]);
    if (!found) throw missingSite(editor, site);
    requireRevision(found, expectedRevision);
    return found;
  }
}

async function readText(db: TenantDb, current: SiteConfig, revision: number): Promise<string> {
  const [found] = await findTexts(db, [{ siteConfigId: current.id, revision }]);
  if (found) return found.text;
  throw missingRevision(current, revision);
}

async function lock(transaction: TenantDb, editor: Editor, site: string): Promise<SiteConfig> {
  const found = await lockSiteConfig(transaction, site);
  if (found) return found;
  throw missingSite(editor, site);
}

function requireRevision({ revision }: SiteConfig, expected: number | null): void {
  if (expected === null || expected === revision) return;
  const state = revision === 0 ? "does not exist yet" : `is at revision ${revision}`;
  throw new DomainError("version_conflict", `The site configuration ${state}; expected was ${expected}.`, {
    field: ["expectedRevision"],
    figures: { actual: revision },
  });
}
