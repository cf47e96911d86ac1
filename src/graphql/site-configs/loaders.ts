import { setImmediate as nextTurn } from "node:timers/promises";
import DataLoader from "dataloader";
import type { Tenant } from "../../domain/accounts/caller.js";
import type { JsonValue } from "../../domain/shared/json.js";
import type { JsonPatchOperation } from "../../domain/site-configs/document/json-diff.js";
import type { SiteConfigReport } from "../../domain/site-configs/findings.js";
import type { RevisionRef, SiteConfig, SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import type { Services } from "../../services/services.js";
import { revisionKey } from "../../services/site-configs/reader.js";
import type { SiteConfigService } from "../../services/site-configs/service.js";
import { defineLoader, PageLoaders } from "../shared/loaders.js";
import type { ReplyBudget } from "../shared/reply-budget.js";

/** The text of a revision, with memoized results derived from it. */
class SiteConfigText {
  readonly text: string;
  readonly #service: SiteConfigService;
  readonly #budget: ReplyBudget;
  #document: Promise<JsonValue> | undefined;
  readonly #reports = new Map<boolean, Promise<SiteConfigReport>>();
  readonly #diffs = new Map<SiteConfigText, Promise<readonly JsonPatchOperation[]>>();

  constructor(text: string, service: SiteConfigService, budget: ReplyBudget) {
    this.text = text;
    this.#service = service;
    this.#budget = budget;
  }

  document(): Promise<JsonValue> {
    this.#document ??= parse(this.text);
    return this.#document;
  }

  report(strict: boolean): Promise<SiteConfigReport> {
    return getOrCreate(this.#reports, strict, () =>
      this.#service.check({ text: this.text }, { strict }, this.#budget),
    );
  }

  diffTo(other: SiteConfigText): Promise<readonly JsonPatchOperation[]> {
    return getOrCreate(this.#diffs, other, () => this.#service.diff(this.text, other.text));
  }
}

function getOrCreate<Key, Value>(cache: Map<Key, Value>, key: Key, create: () => Value): Value {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const created = create();
  cache.set(key, created);
  return created;
}

/** Parses in a separate turn of the event loop: a document takes milliseconds, and a reply may contain several. */
async function parse(text: string): Promise<JsonValue> {
  await nextTurn();
  return JSON.parse(text);
}

/** Reference to the text of a revision, with its size in bytes so that the budget can reject it before it is read. */
export interface TextRef extends RevisionRef {
  readonly size: number;
}

/** Per-request loaders for site configurations. */
class SiteConfigLoaders {
  readonly byId: DataLoader<number, SiteConfig | null>;
  readonly bySite: DataLoader<string, SiteConfig | null>;
  readonly revisions: DataLoader<RevisionRef, SiteConfigRevision | null, string>;
  readonly revisionPages: PageLoaders<SiteConfigRevision>;
  readonly #texts: DataLoader<RevisionRef, SiteConfigText | null, string>;
  readonly #budget: ReplyBudget;

  constructor(
    { siteConfigReader: reader, siteConfigs: service }: Services,
    tenant: Tenant,
    budget: ReplyBudget,
  ) {
    this.#budget = budget;
    this.byId = new DataLoader((ids) => reader.list.byIds(tenant, ids));
    this.bySite = new DataLoader((sites) => reader.bySites(tenant, sites));
    this.revisions = new DataLoader((refs) => reader.revisions(tenant, refs), { cacheKeyFn: revisionKey });
    this.revisionPages = new PageLoaders((ids, page) => reader.listRevisions(tenant, ids, page));
    this.#texts = new DataLoader(
      async (refs) => {
        const texts = await reader.texts(tenant, refs);
        return texts.map((text) => (text === null ? null : new SiteConfigText(text, service, budget)));
      },
      { cacheKeyFn: revisionKey },
    );
  }

  /** Loads the text of an existing revision. @throws DomainError `query_too_expensive` if the reply budget is exceeded */
  async text(ref: TextRef): Promise<SiteConfigText> {
    this.#budget.spendBytes(ref.size);
    const text = await this.#texts.load(ref);
    if (text) return text;
    throw new Error(`Revision ${ref.revision} of site configuration ${ref.siteConfigId} is gone.`);
  }

  /** @throws like `text` */
  async document(ref: TextRef): Promise<JsonValue> {
    return (await this.text(ref)).document();
  }

  /** Checks a revision. @throws like `text` */
  async report(ref: TextRef, strict: boolean): Promise<SiteConfigReport> {
    return (await this.text(ref)).report(strict);
  }

  /** Compares two revisions and charges the reply budget. @throws like `text` */
  async diff(from: TextRef, to: TextRef): Promise<readonly JsonPatchOperation[]> {
    const [before, after] = await Promise.all([this.text(from), this.text(to)]);
    const operations = await before.diffTo(after);
    // Count operations only: their values are part of texts that are already counted, each in at most one operation.
    this.#budget.spend(operations.length);
    for (const { path } of operations) this.#budget.spendText(path);
    return operations;
  }
}

export const siteConfigs = defineLoader(
  ({ services, tenant, budget }) => new SiteConfigLoaders(services, tenant, budget),
);
