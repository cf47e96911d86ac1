import type { Identity } from "../../domain/authentication/identity.js";
import { toAddressBlock } from "../../domain/requests/address-block.js";
import { allowanceOf, rateLimited } from "../../domain/requests/rate-limit.js";
import type { Allowance } from "../../domain/shared/allowance.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { RateCounter } from "./rate-counter.js";

/** The principal that a request is charged to: its credentials, or its address if it has none. */
export type Spender = Identity | { readonly kind: "address"; readonly address: string };

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
      return `key:${spender.caller.accountId}:${spender.caller.keyId}`;
    case "frontEnd":
      return `group:${spender.userGroup.accountId}:${spender.userGroup.id}`;
    case "address":
      return `address:${toAddressBlock(spender.address)}`;
  }
}
