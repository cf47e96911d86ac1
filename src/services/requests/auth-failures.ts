import { LRUCache } from "lru-cache";
import { toAddressBlock } from "../../domain/requests/address-block.js";
import { allowanceOf, rateLimited } from "../../domain/requests/rate-limit.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { RateCounter } from "./rate-counter.js";

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
