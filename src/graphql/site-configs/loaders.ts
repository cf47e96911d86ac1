import { setImmediate as nextTurn } from "node:timers/promises";
import type { SiteConfigReport } from "@user-groups/site-config";
import DataLoader from "dataloader";
import type { Tenant } from "../../domain/accounts/caller.js";
import { getOrCreate } from "../../domain/shared/get-or-create.js";
import type { JsonValue } from "../../domain/shared/json.js";
import type { Page, PageRequest } from "../../domain/shared/pagination.js";
import type { JsonPatchOperation } from "../../domain/site-configs/json-diff.js";
import type { RevisionRef, SiteConfig, SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import type { Services } from "../../services/services.js";
import { revisionKey } from "../../services/site-configs/reader.js";
import type { SiteConfigService } from "../../services/site-configs/service.js";
import { defineLoader, RequestLoaders } from "../shared/loaders.js";
import type { ReplyBudget } from "../shared/reply-budget.js";

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
  readonly revisionPages: RequestLoaders<PageRequest, Page<SiteConfigRevision>>;
  readonly #texts: DataLoader<RevisionRef, string | null, string>;
  readonly #documents = new Map<string, Promise<JsonValue>>();
  readonly #reports = new Map<string, Promise<SiteConfigReport>>();
  readonly #diffs = new Map<string, Promise<readonly JsonPatchOperation[]>>();
  readonly #service: SiteConfigService;
  readonly #budget: ReplyBudget;

  constructor(
    { siteConfigReader: reader, siteConfigs: service }: Services,
    tenant: Tenant,
    budget: ReplyBudget,
  ) {
    this.#service = service;
    this.#budget = budget;
    this.byId = new DataLoader((ids) => reader.list.byIds(tenant, ids));
    this.bySite = new DataLoader((sites) => reader.bySites(tenant, sites));
    this.revisions = new DataLoader((refs) => reader.revisions(tenant, refs), { cacheKeyFn: revisionKey });
    this.revisionPages = new RequestLoaders((ids, page) => reader.listRevisions(tenant, ids, page));
    this.#texts = new DataLoader((refs) => reader.texts(tenant, refs), { cacheKeyFn: revisionKey });
  }

  /** Loads the text of an existing revision. @throws DomainError `query_too_expensive` if the reply budget is exceeded */
  async text(ref: TextRef): Promise<string> {
    this.#budget.spendBytes(ref.size);
    const text = await this.#texts.load(ref);
    if (text !== null) return text;
    throw new Error(`Revision ${ref.revision} of site configuration ${ref.siteConfigId} is gone.`);
  }

  /** @throws like `text` */
  async document(ref: TextRef): Promise<JsonValue> {
    const text = await this.text(ref);
    return getOrCreate(this.#documents, revisionKey(ref), () => parse(text));
  }

  /** Checks a revision. @throws like `text` */
  async report(ref: TextRef, strict: boolean): Promise<SiteConfigReport> {
    const text = await this.text(ref);
    const key = `${revisionKey(ref)} ${strict}`;
    return getOrCreate(this.#reports, key, () => this.#service.check({ text }, { strict }, this.#budget));
  }

  /** Compares two revisions and charges the reply budget. @throws like `text` */
  async diff(from: TextRef, to: TextRef): Promise<readonly JsonPatchOperation[]> {
    const [before, after] = await Promise.all([this.text(from), this.text(to)]);
    const key = `${revisionKey(from)} ${revisionKey(to)}`;
    const operations = await getOrCreate(this.#diffs, key, () => this.#service.diff(before, after));
    // Count operations only: their values are part of texts that are already counted, each in at most one operation.
    this.#budget.spend(operations.length);
    for (const { path } of operations) this.#budget.spendText(path);
    return operations;
  }
}

export const siteConfigs = defineLoader(
  ({ services, tenant, budget }) => new SiteConfigLoaders(services, tenant, budget),
);
