import { LRUCache } from "lru-cache";
import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { limitedName } from "../../domain/accounts/caller.js";
import type { Identity } from "../../domain/authentication/identity.js";
import { toAddressBlock } from "../../domain/requests/address-block.js";
import { allowanceOf, type Counter, rateLimited } from "../../domain/requests/rate-limit.js";
import type { Allowance, Limit } from "../../domain/shared/allowance.js";
import type { Metrics } from "../../telemetry/metrics.js";

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
  readonly #limiters: Limiters;
  readonly #names: LRUCache<string, true>;

  constructor(
    readonly limit: Limit,
    private readonly source: SharedLimiters = MEMORY,
    maxNames = MAX_NAMES,
  ) {
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
    const limiter = this.source.isReachable ? shared : memory;
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

/** The principal that a request is charged to: its credentials, or its address if it has none. */
type Spender = Identity | { readonly kind: "address"; readonly address: string };

/** Limits the cost per window of each API key, each user group's front ends and each unauthenticated address (decision 33). */
export class RateLimits {
  constructor(
    private readonly counter: RateCounter,
    private readonly metrics: Metrics,
  ) {}

  /** Maximum cost of one request; infinite if there is no limit. */
  get maxCost(): number {
    const { limit } = this.counter.limit;
    return limit === 0 ? Number.POSITIVE_INFINITY : limit;
  }

  /**
   * Charges a request to an allowance.
   * @returns null, not a promise, if there is no limit, so that callers can continue synchronously
   * @throws DomainError `rate_limited` when the cost exceeds the remaining allowance; nothing is charged
   */
  spend(spender: Spender, cost: number): Promise<Allowance> | null {
    return this.counter.limit.limit === 0 ? null : this.#spend(counterName(spender), cost);
  }

  async #spend(name: string, cost: number): Promise<Allowance> {
    const { limit, windowSeconds, policy } = this.counter.limit;
    const count = await this.counter.take(name, cost);
    const allowance = allowanceOf(this.counter.limit, count);
    if (count.taken) return allowance;
    this.metrics.rateLimitRefusals.inc({ policy });
    throw rateLimited(
      `The rate limit is a cost of ${limit} per ${windowSeconds} s. The remaining cost is ${allowance.remaining}, but this request needs ${cost}.`,
      allowance,
      { needed: cost },
    );
  }
}

function counterName(spender: Spender): string {
  switch (spender.kind) {
    case "caller":
      return limitedName(spender.caller);
    case "frontEnd":
      return `group:${spender.userGroup.accountId}:${spender.userGroup.id}`;
    case "address":
      return `address:${toAddressBlock(spender.address)}`;
  }
}

/** Maximum addresses that are remembered. */
const MAX_ADDRESSES = 10_000;

/** Limits failed authentications per client address (decision 33). */
export class AuthFailures {
  /** Addresses that have reached the limit, until their windows end, each with its last verification. */
  readonly #suspects = new LRUCache<string, { verified: Promise<unknown> }>({ max: MAX_ADDRESSES });

  constructor(
    private readonly counter: RateCounter,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Verifies credentials. Valid ones are never refused; but those from an address that has exceeded the limit are verified one at a time,
   * so that its guesses occupy at most one database connection.
   */
  verify<Result>(address: string, verify: () => Promise<Result>): Promise<Result> {
    const suspect = this.#suspects.get(toAddressBlock(address));
    if (!suspect) return verify();
    const verified = suspect.verified.then(verify);
    suspect.verified = verified.catch(() => undefined);
    return verified;
  }

  /** Counts a failed authentication. @throws DomainError `rate_limited` if the address has exceeded the limit */
  async record(address: string): Promise<void> {
    this.metrics.authenticationFailures.inc();
    const { limit, policy } = this.counter.limit;
    if (limit === 0) return;
    const block = toAddressBlock(address);
    const count = await this.counter.take(block, 1);
    if (count.used >= limit) {
      const suspect = this.#suspects.get(block) ?? { verified: Promise.resolve() };
      this.#suspects.set(block, suspect, { ttl: Math.max(count.endsInMs, 1) });
    }
    if (count.taken) return;
    this.metrics.rateLimitRefusals.inc({ policy });
    throw rateLimited(
      "Too many failed authentication attempts from this address.",
      allowanceOf(this.counter.limit, count),
    );
  }
}
