import { toAddressBlock } from "../../domain/requests/address-block.js";
import { allowanceOf, rateLimited } from "../../domain/requests/rate-limit.js";
import type { Limit } from "../../domain/shared/allowance.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { RateCounters } from "./rate-counters.js";

/** Limits failed authentications per client address (decision 33). */
export class AuthFailures {
  readonly #counters: RateCounters;
  readonly #limit: Limit;
  readonly #metrics: Metrics;
  #lastInTurn: Promise<unknown> = Promise.resolve();

  constructor(counters: RateCounters, limit: Limit, metrics: Metrics) {
    this.#counters = counters;
    this.#limit = limit;
    this.#metrics = metrics;
  }

  /**
   * Verifies credentials. Valid ones are never refused; but those from addresses that have exceeded the limit are verified one at a time,
   * so that guesses occupy at most one database connection.
   */
  verify<Result>(address: string, verify: () => Promise<Result>): Promise<Result> {
    const used = this.#counters.peek(counterName(address))?.used ?? 0;
    if (used < this.#limit.limit || this.#limit.limit === 0) return verify();
    const verified = this.#lastInTurn.then(verify);
    this.#lastInTurn = verified.catch(() => undefined);
    return verified;
  }

  /** Counts a failed authentication. @throws DomainError `rate_limited` if the address has exceeded the limit */
  async record(address: string): Promise<void> {
    this.#metrics.authenticationFailures.inc();
    const { limit, policy } = this.#limit;
    if (limit === 0) return;
    const count = await this.#counters.take(counterName(address), 1, limit);
    if (count.taken) return;
    this.#metrics.rateLimitRefusals.inc({ policy });
    throw rateLimited(
      "Too many failed authentication attempts from this address.",
      allowanceOf(this.#limit, count),
    );
  }
}

function counterName(address: string): string {
  return `auth-failures:${toAddressBlock(address)}`;
}
