import type { Identity } from "../../domain/authentication/identity.js";
import { toAddressBlock } from "../../domain/requests/address-block.js";
import { allowanceOf, rateLimited } from "../../domain/requests/rate-limit.js";
import type { Allowance, Limit } from "../../domain/shared/allowance.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { RateCounters } from "./rate-counters.js";

/** Whose allowance a request is taken from: its credentials', or without any its address's. */
export type Spender = Identity | { readonly kind: "address"; readonly address: string };

/** Gives each API key, each user group's front ends and each address without credentials so many points in a window (decision 33). */
export class RateLimits {
  readonly #counters: RateCounters;
  readonly #limit: Limit;
  readonly #metrics: Metrics;

  constructor(counters: RateCounters, limit: Limit, metrics: Metrics) {
    this.#counters = counters;
    this.#limit = limit;
    this.#metrics = metrics;
  }

  /** The most points that anybody can spend at once. */
  get most(): number {
    return this.#limit.limit === 0 ? Number.POSITIVE_INFINITY : this.#limit.limit;
  }

  /**
   * Takes points from an allowance.
   * @returns null where there is no limit, without a promise: then nobody has to wait for anything
   * @throws DomainError `rate_limited` when less is left; then nothing is taken
   */
  spend(spender: Spender, points: number): Promise<Allowance> | null {
    return this.#limit.limit === 0 ? null : this.#spend(nameOf(spender), points);
  }

  async #spend(name: string, points: number): Promise<Allowance> {
    const { limit, windowSeconds } = this.#limit;
    const count = await this.#counters.take(name, points, limit);
    const allowance = allowanceOf(this.#limit, count);
    if (count.taken) return allowance;
    this.#metrics.rateLimitRefusals.of(this.#limit.policy).value += 1;
    throw rateLimited(
      `The rate limit is ${limit} points in ${windowSeconds} s; ${allowance.remaining} are left, and this needs ${points} more.`,
      allowance,
      { needed: points },
    );
  }
}

function nameOf(spender: Spender): string {
  switch (spender.kind) {
    case "caller":
      return `key:${spender.caller.accountId}:${spender.caller.keyId}`;
    case "frontEnd":
      return `group:${spender.userGroup.accountId}:${spender.userGroup.id}`;
    case "address":
      return `address:${toAddressBlock(spender.address)}`;
  }
}
