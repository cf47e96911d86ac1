import DataLoader from "dataloader";
import type { Page, PageRequest } from "../../domain/shared/pagination.js";

/** Batches loads of the same page for the lists of many parent objects. */
export class PageLoaders<Item> {
  readonly #loadAll: (ids: readonly number[], page: PageRequest) => Promise<Page<Item>[]>;
  readonly #loaders = new Map<string, DataLoader<number, Page<Item>>>();

  /** @param loadAll returns the page of each parent's list, in the order of the IDs */
  constructor(loadAll: (ids: readonly number[], page: PageRequest) => Promise<Page<Item>[]>) {
    this.#loadAll = loadAll;
  }

  async load(id: number, page: PageRequest): Promise<Page<Item>> {
    const key = JSON.stringify(page);
    const known = this.#loaders.get(key);
    if (known) return known.load(id);
    const loader = new DataLoader((ids: readonly number[]) => this.#loadAll(ids, page));
    this.#loaders.set(key, loader);
    return loader.load(id);
  }

  clear(): void {
    this.#loaders.clear();
  }
}
