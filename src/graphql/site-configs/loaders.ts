import DataLoader from "dataloader";
import type { Tenant } from "../../domain/accounts/caller.js";
import type { JsonValue } from "../../domain/shared/json.js";
import type { JsonPatchOperation } from "../../domain/site-configs/document/json-diff.js";
import type { SiteConfigReport } from "../../domain/site-configs/report.js";
import type { RevisionRef, SiteConfig, SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import { nameOfRevision, type SiteConfigReader } from "../../services/site-configs/reader.js";
import { SiteConfigWork } from "../../services/site-configs/work.js";
import { defineLoader, type Loader } from "../shared/loaders.js";
import { PageLoaders } from "../shared/page-loaders.js";
import type { ReplyBudget } from "../shared/reply-budget.js";
import { SiteConfigText } from "./text.js";

/** Names the text of a revision, whose size in bytes is known before it is read. */
export interface TextRef extends RevisionRef {
  readonly size: number;
}

/** What one request loads of site configurations. */
export class SiteConfigLoaders implements Loader {
  readonly byId: DataLoader<number, SiteConfig | null>;
  readonly bySite: DataLoader<string, SiteConfig | null>;
  readonly revisions: DataLoader<RevisionRef, SiteConfigRevision | null, string>;
  readonly revisionPages: PageLoaders<SiteConfigRevision>;
  readonly work: SiteConfigWork;
  readonly #texts: DataLoader<RevisionRef, SiteConfigText | null, string>;
  readonly #budget: ReplyBudget;

  constructor(reader: SiteConfigReader, tenant: Tenant, budget: ReplyBudget, work: SiteConfigWork) {
    this.#budget = budget;
    this.work = work;
    this.byId = new DataLoader((ids) => reader.byIds(tenant, ids));
    this.bySite = new DataLoader((sites) => reader.bySites(tenant, sites));
    this.revisions = new DataLoader((refs) => reader.revisions(tenant, refs), { cacheKeyFn: nameOfRevision });
    this.revisionPages = new PageLoaders((ids, page) => reader.listRevisions(tenant, ids, page));
    this.#texts = new DataLoader(
      async (refs) => {
        const texts = await reader.texts(tenant, refs);
        return texts.map((text) => (text === null ? null : new SiteConfigText(text, work)));
      },
      { cacheKeyFn: nameOfRevision },
    );
  }

  /** Loads the text of a revision that exists. @throws DomainError `query_too_expensive` when the reply gets too large */
  async text(ref: TextRef): Promise<SiteConfigText> {
    this.#budget.spendBytes(ref.size);
    const text = await this.#texts.load(ref);
    if (text) return text;
    throw new Error(`Revision ${ref.revision} of site configuration ${ref.siteConfigId} is gone.`);
  }

  /** The document of a revision. @throws DomainError as `text` does */
  async document(ref: TextRef): Promise<JsonValue> {
    return (await this.text(ref)).document();
  }

  /** What a check of a revision finds. @throws DomainError as `text` does */
  async report(ref: TextRef, strict: boolean): Promise<SiteConfigReport> {
    return (await this.text(ref)).report(strict);
  }

  /** What changed between two revisions, for the reply. @throws DomainError as `text` does */
  async diff(from: TextRef, to: TextRef): Promise<readonly JsonPatchOperation[]> {
    const [before, after] = await Promise.all([this.text(from), this.text(to)]);
    const operations = await before.diffTo(after);
    // The values are parts of a text that is counted already, each in one operation at most.
    this.#budget.spend(operations.length);
    for (const { path } of operations) this.#budget.spendText(path);
    return operations;
  }

  /** Forgets everything but texts, which never change. */
  clear(): void {
    this.byId.clearAll();
    this.bySite.clearAll();
    this.revisions.clearAll();
    this.revisionPages.clear();
  }
}

export const siteConfigs = defineLoader(({ services, tenant, budget, signal }) => {
  const { siteConfigReader, siteConfigThread } = services;
  const work = new SiteConfigWork(siteConfigThread, { budget, signal });
  return new SiteConfigLoaders(siteConfigReader, tenant, budget, work);
});
