import { toAddressBlock } from "../domain/address-block.js";
import { allowanceOf, rateLimited } from "../domain/rate-limit.js";
import type { RateCounters } from "./rate-counters.js";

/** Counts failed authentications by address, and refuses those from which there are too many (decision 33). */
export class AuthFailures {
  readonly #counters: RateCounters;
  readonly #limit: number;
  readonly #windowSeconds: number;

  /** @param limit the most failures of an address in a window; 0 for any number */
  constructor(counters: RateCounters, limit: number, windowSeconds: number) {
    this.#counters = counters;
    this.#limit = limit;
    this.#windowSeconds = windowSeconds;
  }

  /**
   * Refuses an address by what this process knows, without waiting for anything: it learns of failures elsewhere at the next one here.
   * @throws DomainError `rate_limited`
   */
  requireFew(address: string): void {
    if (this.#limit === 0) return;
    const count = this.#counters.look(nameOf(address));
    if (count === undefined || count.used < this.#limit) return;
    const limit = {
      policy: "auth-failures",
      limit: this.#limit,
      windowSeconds: this.#windowSeconds,
    } as const;
    throw rateLimited("Authentication has failed too often from this address.", allowanceOf(limit, count));
  }

  async note(address: string): Promise<void> {
    if (this.#limit > 0) await this.#counters.take(nameOf(address), 1, this.#limit);
  }
}

function nameOf(address: string): string {
  return `auth-failures:${toAddressBlock(address)}`;
}
