import DataLoader from "dataloader";
import type { Tenant } from "../domain/caller.js";
import type { JsonValue } from "../domain/json.js";
import type { Page, PageRequest } from "../domain/page.js";
import type { RevisionRef, SiteConfig, SiteConfigRevision } from "../domain/site-config/site-config.js";
import type { SiteConfigReader } from "../services/site-config-reader.js";

/** Names the text of a revision, whose size in bytes is known before it is read. */
export interface TextRef extends RevisionRef {
  readonly size: number;
}

/** The text of a revision, parsed at most once. */
export class SiteConfigText {
  readonly text: string;
  #document: JsonValue | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get document(): JsonValue {
    this.#document ??= parse(this.text);
    return this.#document;
  }
}

/** What one request loads of site configurations. */
export class SiteConfigLoaders {
  readonly byId: DataLoader<number, SiteConfig | null>;
  readonly bySite: DataLoader<string, SiteConfig | null>;
  readonly revisions: DataLoader<RevisionRef, SiteConfigRevision | null, string>;
  readonly #texts: DataLoader<RevisionRef, SiteConfigText | null, string>;
  readonly #reader: SiteConfigReader;
  readonly #tenant: Tenant;
  readonly #spendBytes: (bytes: number) => void;
  readonly #pages = new Map<string, DataLoader<number, Page<SiteConfigRevision>>>();

  /** @param spendBytes is told of each text before it is read, and may refuse it */
  constructor(reader: SiteConfigReader, tenant: Tenant, spendBytes: (bytes: number) => void) {
    this.#reader = reader;
    this.#tenant = tenant;
    this.#spendBytes = spendBytes;
    this.byId = new DataLoader((ids) => reader.byIds(tenant, ids));
    this.bySite = new DataLoader((sites) => reader.bySites(tenant, sites));
    this.revisions = new DataLoader((refs) => reader.revisions(tenant, refs), { cacheKeyFn: keyOf });
    this.#texts = new DataLoader(
      async (refs) => {
        const texts = await reader.texts(tenant, refs);
        return texts.map((text) => (text === null ? null : new SiteConfigText(text)));
      },
      { cacheKeyFn: keyOf },
    );
  }

  /** Loads the text of a revision that exists. @throws DomainError `query_too_expensive` when the reply gets too large */
  async text(ref: TextRef): Promise<SiteConfigText> {
    this.#spendBytes(ref.size);
    const text = await this.#texts.load(ref);
    if (text) return text;
    throw new Error(`Revision ${ref.revision} of site configuration ${ref.siteConfigId} is gone.`);
  }

  /** Loads one and the same page of the revisions of many site configurations. */
  revisionPages(page: PageRequest): DataLoader<number, Page<SiteConfigRevision>> {
    const key = JSON.stringify(page);
    const known = this.#pages.get(key);
    if (known) return known;
    const loader = new DataLoader((ids: readonly number[]) =>
      this.#reader.listRevisions(this.#tenant, ids, page),
    );
    this.#pages.set(key, loader);
    return loader;
  }

  /** Forgets everything but texts, which never change. */
  clear(): void {
    this.byId.clearAll();
    this.bySite.clearAll();
    this.revisions.clearAll();
    this.#pages.clear();
  }
}

function keyOf({ siteConfigId, revision }: RevisionRef): string {
  return `${siteConfigId}:${revision}`;
}

function parse(text: string): JsonValue {
  return JSON.parse(text);
}
