import { LRUCache } from "lru-cache";
import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRes,
} from "rate-limiter-flexible";
import type { Counter } from "../../domain/requests/rate-limit.js";
import type { Limit } from "../../domain/shared/allowance.js";

/** Bounds memory to about 30 MB; beyond it, the counter that was used longest ago is deleted. */
const MAX_NAMES = 50_000;

/** The limiters of a policy. */
export interface Limiters {
  readonly shared: RateLimiterAbstract;
  /** Counts while `shared` is unreachable; the same limiter if that counts in memory, too. */
  readonly memory: RateLimiterAbstract;
}

/** Creates limiters whose counts several processes share. */
export interface SharedLimiters {
  readonly isReachable: boolean;
  create(options: IRateLimiterOptions): Limiters;
}

/** Counts the cost units of a policy by name, in fixed windows that begin with the first unit. */
export class RateCounter {
  readonly limit: Limit;
  readonly #source: SharedLimiters;
  readonly #limiters: Limiters;
  readonly #names: LRUCache<string, true>;

  constructor(limit: Limit, source: SharedLimiters = MEMORY, maxNames = MAX_NAMES) {
    this.limit = limit;
    this.#source = source;
    this.#limiters = source.create({
      keyPrefix: limit.policy,
      points: limit.limit,
      duration: limit.windowSeconds,
    });
    this.#names = new LRUCache({
      // Unlike `max`, it allocates nothing in advance.
      maxSize: maxNames,
      sizeCalculation: () => 1,
      // A counter that stays expires with its window.
      dispose: (_, name) => void this.#limiters.memory.delete(name).catch(() => false),
    });
  }

  /** Takes cost units, unless the sum would exceed the limit. */
  async take(name: string, cost: number): Promise<Counter> {
    this.#names.set(name, true);
    const { shared, memory } = this.#limiters;
    const limiter = this.#source.isReachable ? shared : memory;
    const counter = await consume(limiter, name, cost);
    // An outage grants no new allowance.
    if (limiter !== memory) await memory.set(name, counter.used, Math.max(counter.endsInMs, 1) / 1000);
    return counter;
  }
}

const MEMORY: SharedLimiters = {
  isReachable: true,
  create(options) {
    const memory = new RateLimiterMemory(options);
    return { shared: memory, memory };
  },
};

async function consume(limiter: RateLimiterAbstract, name: string, cost: number): Promise<Counter> {
  try {
    const { consumedPoints, msBeforeNext } = await limiter.consume(name, cost);
    return { taken: true, used: consumedPoints, endsInMs: msBeforeNext };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    // The limiter has counted the refused cost.
    const { consumedPoints } = await limiter.reward(name, cost);
    return { taken: false, used: Math.max(consumedPoints, 0), endsInMs: refusal.msBeforeNext };
  }
}
