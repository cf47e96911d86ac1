import DataLoader from "dataloader";
import type { Tenant } from "../../domain/accounts/caller.js";
import type { Services } from "../../services/services.js";
import { ReplyBudget } from "./reply-budget.js";

/** The loaders of one request for one tenant, created on first use. */
export class Loaders {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly budget: ReplyBudget;
  /** Identifies the loaders in use. */
  generation: object = {};

  constructor(services: Services, tenant: Tenant, budget = new ReplyBudget()) {
    this.services = services;
    this.tenant = tenant;
    this.budget = budget;
  }

  /** Drops cached values, which a mutation may have changed. */
  clear(): void {
    this.generation = {};
  }
}

/** Defines a loader. @returns a function that gets or creates the request's instance */
export function defineLoader<Type extends object>(
  create: (loaders: Loaders) => Type,
): (loaders: Loaders) => Type {
  const known = new WeakMap<object, Type>();
  return (loaders) => {
    const existing = known.get(loaders.generation);
    if (existing) return existing;
    const loader = create(loaders);
    known.set(loaders.generation, loader);
    return loader;
  };
}

/**
 * Defines a function that caches values and batches the keys of one turn of the event loop, for services that do not batch.
 * @param loadMany returns one value per key, in the order of the keys
 */
export function defineBatchLoader<Key, Value>(
  loadMany: (loaders: Loaders, keys: readonly Key[]) => Promise<readonly (Value | Error)[]>,
): (loaders: Loaders, key: Key) => Promise<Value> {
  const loaderOf = defineLoader(
    (loaders) => new DataLoader((keys: readonly Key[]) => loadMany(loaders, keys)),
  );
  return (loaders, key) => loaderOf(loaders).load(key);
}

/** Batches equal requests, such as for the same page, about many parent objects. */
export class RequestLoaders<Request, Value> {
  readonly #loaders = new Map<string, DataLoader<number, Value>>();

  /** @param loadAll returns a value per parent, in the order of the IDs */
  constructor(private readonly loadAll: (ids: readonly number[], request: Request) => Promise<Value[]>) {}

  async load(id: number, request: Request): Promise<Value> {
    const key = JSON.stringify(request);
    const known = this.#loaders.get(key);
    if (known) return known.load(id);
    const loader = new DataLoader((ids: readonly number[]) => this.loadAll(ids, request));
    this.#loaders.set(key, loader);
    return loader.load(id);
  }
}
