import { setImmediate as nextTurn } from "node:timers/promises";
import type { SiteConfigOptions, SiteConfigReport } from "@user-groups/site-config";
import { DomainError } from "../../domain/shared/errors.js";
import type { JsonObject } from "../../domain/shared/json.js";
import {
  type CheckedText,
  checkSource,
  type DocumentSource,
  patchText,
  type SubmittedJson,
} from "../../domain/site-configs/document-source.js";
import { diffJson, type JsonPatchOperation } from "../../domain/site-configs/json-diff.js";
import {
  type Editor,
  requireSiteName,
  requireSize,
  revisionNotFound,
  type SiteConfig,
  siteNotFound,
} from "../../domain/site-configs/site-config.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb, TenantTransaction } from "../../persistence/shared/tenant-db.js";
import { findSiteConfigsBySites, findTexts } from "../../persistence/site-configs/queries.js";
import {
  addRevision,
  createSiteConfig,
  deleteSiteConfig,
  type LockedSiteConfig,
  lockSiteConfig,
  setPublic,
} from "../../persistence/site-configs/writes.js";

/**
 * Runs the work on site configurations of all requests one after the other, each in its own turn of the event loop: a document takes up
 * to 50 ms, and a request may contain many.
 */
export class SiteConfigWork {
  /** Settles after the previous task. */
  #previous: Promise<unknown> = Promise.resolve();

  async run<Output>(task: () => Output): Promise<Output> {
    const output = this.#previous.then(() => nextTurn()).then(task);
    this.#previous = output.catch(() => undefined);
    return output;
  }
}

/** Attempts to apply a patch, including the first, when concurrent changes conflict. */
const MAX_PATCH_ATTEMPTS = 4;

/** Limits the findings that one request may cause. */
interface FindingBudget {
  /** @throws DomainError when the budget is used up */
  requireRemaining(): void;
  spendFindings(report: SiteConfigReport): void;
}

/** Precondition of a change. */
export interface ChangeOptions {
  /** Expected current revision number; 0 if the site must not exist yet; null for any. */
  readonly expectedRevision: number | null;
}

/** Replaces the document. */
interface DocumentChange extends ChangeOptions, SiteConfigOptions {
  readonly source: DocumentSource;
  /** Null leaves the visibility unchanged. */
  readonly isPublic: boolean | null;
}

interface PatchChange extends ChangeOptions, SiteConfigOptions {
  readonly patch: SubmittedJson;
}

interface RestoreChange extends ChangeOptions {
  /** The revision to restore. */
  readonly revision: number;
}

/** The result of a change; a document with errors is not stored. */
export interface ChangeOutcome {
  /** Null if errors in the report prevented the change. */
  readonly siteConfig: SiteConfig | null;
  readonly report: SiteConfigReport;
}

/** Stores the configurations of documentation sites. Each change creates a new, valid revision. */
export class SiteConfigService {
  constructor(
    private readonly db: Database,
    private readonly work = new SiteConfigWork(),
  ) {}

  /** Validates a document. @throws DomainError `invalid_field` for JSON that is too deep, and when the budget is used up */
  async check(
    source: DocumentSource,
    options: SiteConfigOptions,
    budget?: FindingBudget,
  ): Promise<SiteConfigReport> {
    return this.work.run(() => {
      budget?.requireRemaining();
      const { report } = checkSource(source, options);
      budget?.spendFindings(report);
      return report;
    });
  }

  /** Compares two stored texts. */
  async diff(from: string, to: string): Promise<readonly JsonPatchOperation[]> {
    return this.work.run(() => diffJson(parse(from), parse(to)));
  }

  /**
   * Stores a document as a new revision; creates the site if it does not exist.
   * @throws DomainError `invalid_field` for a document that is too large or an invalid name of a new site, `version_conflict`
   */
  async put(editor: Editor, site: string, { source, ...options }: DocumentChange): Promise<ChangeOutcome> {
    if ("text" in source) requireSize(source.text, ["text"]);
    const { report, text } = await this.work.run(() => checkSource(source, options));
    if (text === null) return { siteConfig: null, report };
    const siteConfig = await this.db.for(editor).transaction(async (transaction) => {
      const current = await this.#lockOrCreate(transaction, editor, site);
      requireRevision(current.isDeleted ? { revision: 0 } : current, options.expectedRevision);
      return addRevision(transaction, editor.actor, current, { text, isPublic: options.isPublic });
    });
    return { siteConfig, report };
  }

  /**
   * Applies a merge patch (RFC 7396) to the current document, preserving the formatting of unchanged parts.
   * @throws DomainError `site_config_not_found`; `version_conflict`, also after repeated concurrent changes; `invalid_field` if the
   *   patch or the patched document is too large
   */
  async patch(editor: Editor, site: string, { patch, ...options }: PatchChange): Promise<ChangeOutcome> {
    for (let attempt = 1; attempt <= MAX_PATCH_ATTEMPTS; attempt += 1) {
      const seen = await this.#find(editor, site, options);
      const text = await readText(this.db.for(editor), seen, seen.revision);
      // Patching may wait for the work of other requests: hold no lock meanwhile.
      const patched = await this.work.run(() => patchText(text, patch, options));
      const outcome = await this.#storePatched(editor, seen, patched, options);
      if (outcome) return outcome;
    }
    throw new DomainError(
      "version_conflict",
      "The site configuration kept changing while the patch was applied. Try again.",
      { field: patch.field },
    );
  }

  /** Returns null, and stores nothing, if the site has changed since the revision that was read. */
  async #storePatched(
    editor: Editor,
    seen: SiteConfig,
    { report, text }: CheckedText,
    options: ChangeOptions,
  ): Promise<ChangeOutcome | null> {
    return this.db.for(editor).transaction(async (transaction) => {
      const current = await lock(transaction, editor, seen.site, options);
      if (current.revision !== seen.revision) return null;
      if (text === null) return { siteConfig: null, report };
      return { siteConfig: await addRevision(transaction, editor.actor, current, { text }), report };
    });
  }

  /**
   * Restores an earlier revision by creating a new one.
   * @throws DomainError `site_config_not_found`, also for a revision that does not exist, and `version_conflict`
   */
  async restore(
    editor: Editor,
    site: string,
    { revision: restoredFrom, ...options }: RestoreChange,
  ): Promise<ChangeOutcome> {
    const seen = await this.#find(editor, site, options);
    const text = await readText(this.db.for(editor), seen, restoredFrom);
    // Validation rules may have changed since the revision was stored. Its text is immutable, so no lock is needed yet.
    const report = await this.check({ text }, { strict: false });
    if (!report.valid) return { siteConfig: null, report };
    const siteConfig = await this.db.for(editor).transaction(async (transaction) => {
      const current = await lock(transaction, editor, site, options);
      return addRevision(transaction, editor.actor, current, { text, restoredFrom });
    });
    return { siteConfig, report };
  }

  /**
   * Deletes a site. Its revisions stay stored, but cannot be read while it is deleted (decision 31).
   * @returns the deleted site configuration
   * @throws DomainError `site_config_not_found`, `version_conflict`
   */
  async delete(editor: Editor, site: string, options: ChangeOptions): Promise<SiteConfig> {
    return this.db.for(editor).transaction(async (transaction) => {
      const current = await lock(transaction, editor, site, options);
      await deleteSiteConfig(transaction, current);
      return current;
    });
  }

  /** Makes a site public or private, without creating a revision. @throws DomainError `site_config_not_found` */
  async setPublic(editor: Editor, site: string, isPublic: boolean): Promise<SiteConfig> {
    return this.db.for(editor).transaction(async (transaction) => {
      const current = await lock(transaction, editor, site, { expectedRevision: null });
      return setPublic(transaction, current, isPublic);
    });
  }

  async #lockOrCreate(
    transaction: TenantTransaction,
    editor: Editor,
    site: string,
  ): Promise<LockedSiteConfig> {
    const found = await lockSiteConfig(transaction, site);
    if (!found || found.isDeleted) requireSiteName(site);
    if (found) return found;
    await createSiteConfig(transaction, site);
    return lock(transaction, editor, site, { expectedRevision: null });
  }

  /** Reads the current site without locking it. @throws DomainError `site_config_not_found`, `version_conflict` */
  async #find(editor: Editor, site: string, { expectedRevision }: ChangeOptions): Promise<SiteConfig> {
    const [found] = await findSiteConfigsBySites(this.db.for(editor), [site]);
    if (!found) throw siteNotFound(editor, site);
    requireRevision(found, expectedRevision);
    return found;
  }
}

async function readText(db: TenantDb, current: SiteConfig, revision: number): Promise<string> {
  const [found] = await findTexts(db, [{ siteConfigId: current.id, revision }]);
  if (found) return found.text;
  throw revisionNotFound(current, revision);
}

/** @throws DomainError `site_config_not_found`, `version_conflict` */
async function lock(
  transaction: TenantTransaction,
  editor: Editor,
  site: string,
  { expectedRevision }: ChangeOptions,
): Promise<LockedSiteConfig> {
  const found = await lockSiteConfig(transaction, site);
  if (!found || found.isDeleted) throw siteNotFound(editor, site);
  requireRevision(found, expectedRevision);
  return found;
}

function parse(text: string): JsonObject {
  return JSON.parse(text);
}

function requireRevision({ revision }: Pick<SiteConfig, "revision">, expected: number | null): void {
  if (expected === null || expected === revision) return;
  const state = revision === 0 ? "does not exist yet" : `is at revision ${revision}`;
  const message =
    expected === 0
      ? `The site configuration exists already, at revision ${revision}.`
      : `The site configuration ${state}, but revision ${expected} was expected.`;
  throw new DomainError("version_conflict", message, {
    field: ["expectedRevision"],
    details: { actual: revision },
  });
}
