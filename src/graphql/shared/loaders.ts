import DataLoader from "dataloader";
import type { Tenant } from "../../domain/accounts/caller.js";
import { getOrCreate } from "../../domain/shared/get-or-create.js";
import type { Services } from "../../services/services.js";
import { ReplyBudget } from "./reply-budget.js";

/** The loaders of one request for one tenant, created on first use. */
export class Loaders {
  /** Identifies the loaders in use. */
  generation: object = {};

  constructor(
    readonly services: Services,
    readonly tenant: Tenant,
    readonly budget = new ReplyBudget(),
  ) {}

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
  return (loaders) => getOrCreate(known, loaders.generation, () => create(loaders));
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
    const create = () => new DataLoader((ids: readonly number[]) => this.loadAll(ids, request));
    return getOrCreate(this.#loaders, JSON.stringify(request), create).load(id);
  }
}
