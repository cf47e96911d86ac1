import { DomainError } from "../domain/errors.js";
import type { JsonValue } from "../domain/json.js";
import { mergePatchText } from "../domain/site-config/merge-patch.js";
import {
  type Editor,
  missingRevision,
  missingSite,
  requireSize,
  type SiteConfig,
} from "../domain/site-config/site-config.js";
import { type SiteConfigReport, withoutPlaces } from "../domain/site-config/site-config-report.js";
import { printDocument } from "../domain/site-config/text-layout.js";
import {
  type SiteConfigOptions,
  type SiteConfigSource,
  validateSiteConfigText,
  validateSource,
} from "../domain/site-config/validate-site-config.js";
import type { Database } from "../persistence/database.js";
import { findTexts } from "../persistence/site-config-queries.js";
import {
  addRevision,
  createSiteConfig,
  lockSiteConfig,
  type NewRevision,
  setPublic,
} from "../persistence/site-config-writes.js";
import type { Queryable } from "../persistence/statement.js";

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
    source: SiteConfigSource,
    options: ChangeOptions & SiteConfigOptions & { readonly isPublic: boolean | null },
  ): Promise<ChangeOutcome> {
    const { report, text } = check(source, options);
    if (text === null) return { siteConfig: null, report };
    const siteConfig = await this.#db.transaction(editor, async (transaction) => {
      const current = await this.#lockOrCreate(transaction, editor, site);
      requireRevision(current, options.expectedRevision);
      const revision = { text, restoredFrom: null, isPublic: options.isPublic };
      return addRevision(transaction, editor, current, revision);
    });
    return { siteConfig, report };
  }

  /**
   * Changes the current document by a merge patch (RFC 7396); what the patch does not touch stays as it is written.
   * @throws DomainError `site_config_not_found`, `version_conflict`, `invalid_field` for a patch that is too large, or makes
   * the document so
   */
  async patch(
    editor: Editor,
    site: string,
    patch: JsonValue,
    options: ChangeOptions & SiteConfigOptions,
  ): Promise<ChangeOutcome> {
    requireSize(JSON.stringify(patch), ["patch"]);
    return this.#change(editor, site, options, async (transaction, current) => {
      const text = mergePatchText(await readText(transaction, editor, current, current.revision), patch);
      requireSize(text, ["patch"]);
      const report = withoutPlaces(validateSiteConfigText(text, options));
      return { report, revision: { text, restoredFrom: null, isPublic: null } };
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
  ): Promise<ChangeOutcome> {
    return this.#change(editor, site, options, async (transaction, current) => {
      const text = await readText(transaction, editor, current, restoredFrom);
      // The rules may have changed since it was written.
      const report = validateSiteConfigText(text, { strict: false });
      return { report, revision: { text, restoredFrom, isPublic: null } };
    });
  }

  /** Opens a site to everybody, or closes it; this is no new revision. @throws DomainError `site_config_not_found` */
  async setPublic(editor: Editor, site: string, isPublic: boolean): Promise<SiteConfig> {
    const changed = await setPublic(this.#db.of(editor), editor, site, isPublic);
    if (changed) return changed;
    throw missingSite(editor, site);
  }

  async #lockOrCreate(transaction: Queryable, editor: Editor, site: string): Promise<SiteConfig> {
    const found = await lockSiteConfig(transaction, editor, site);
    if (found) return found;
    await createSiteConfig(transaction, editor, site);
    return lock(transaction, editor, site);
  }

  async #change(
    editor: Editor,
    site: string,
    options: ChangeOptions,
    make: (
      transaction: Queryable,
      current: SiteConfig,
    ) => Promise<{ readonly report: SiteConfigReport; readonly revision: NewRevision }>,
  ): Promise<ChangeOutcome> {
    return this.#db.transaction(editor, async (transaction) => {
      const current = await lock(transaction, editor, site);
      requireRevision(current, options.expectedRevision);
      const { report, revision } = await make(transaction, current);
      const siteConfig = report.valid ? await addRevision(transaction, editor, current, revision) : null;
      return { siteConfig, report };
    });
  }
}

/** @returns the text to store; null when the document has errors */
function check(source: SiteConfigSource, options: SiteConfigOptions) {
  if ("text" in source) requireSize(source.text, ["text"]);
  const report = validateSource(source, options);
  if (!report.valid) return { report, text: null };
  if ("text" in source) return { report, text: source.text };
  const text = printDocument(source.document);
  requireSize(text, ["document"]);
  return { report, text };
}

async function readText(
  transaction: Queryable,
  editor: Editor,
  current: SiteConfig,
  revision: number,
): Promise<string> {
  const [found] = await findTexts(transaction, editor, [{ siteConfigId: current.id, revision }]);
  if (found) return found.text;
  throw missingRevision(current, revision);
}

async function lock(transaction: Queryable, editor: Editor, site: string): Promise<SiteConfig> {
  const found = await lockSiteConfig(transaction, editor, site);
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
