import { toAddressBlock } from "../domain/address-block.js";
import type { Limit } from "../domain/allowance.js";
import { allowanceOf, rateLimited } from "../domain/rate-limit.js";
import type { Tally } from "../domain/telemetry/tally.js";
import type { RateCounters } from "./rate-counters.js";

/** Counts failed authentications by address, and refuses those from which there are too many (decision 33). */
export class AuthFailures {
  readonly #counters: RateCounters;
  readonly #limit: Limit;
  readonly #tally: Tally;

  constructor(counters: RateCounters, limit: Limit, tally: Tally) {
    this.#counters = counters;
    this.#limit = limit;
    this.#tally = tally;
  }

  /**
   * Refuses an address by what this process knows, without waiting for anything: it learns of failures elsewhere at the next one here.
   * @throws DomainError `rate_limited`
   */
  requireFew(address: string): void {
    if (this.#limit.limit === 0) return;
    const count = this.#counters.look(nameOf(address));
    if (count === undefined || count.used < this.#limit.limit) return;
    this.#tally.rateLimitRefusals.of(this.#limit.policy).value += 1;
    throw rateLimited(
      "Authentication has failed too often from this address.",
      allowanceOf(this.#limit, count),
    );
  }

  async note(address: string): Promise<void> {
    this.#tally.authenticationFailures.value += 1;
    const { limit } = this.#limit;
    if (limit > 0) await this.#counters.take(nameOf(address), 1, limit);
  }
}

function nameOf(address: string): string {
  return `auth-failures:${toAddressBlock(address)}`;
}
