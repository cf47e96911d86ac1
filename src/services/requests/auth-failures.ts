import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { findCredentials } from "../../domain/authentication/authorization.js";
import { toAddressBlock } from "../../domain/requests/address-block.js";
import { allowanceOf, rateLimited } from "../../domain/requests/rate-limit.js";
import type { Limit } from "../../domain/shared/allowance.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { RateCounters } from "./rate-counters.js";

/** Cache of credentials that were recently valid. */
const MAX_CACHED_CREDENTIALS = 10_000;
const CREDENTIAL_CACHE_MS = 3_600_000;

/** Limits failed authentications per client address (decision 33). */
export class AuthFailures {
  readonly #counters: RateCounters;
  readonly #limit: Limit;
  readonly #metrics: Metrics;
  readonly #validCredentials = new LRUCache<string, true>({
    max: MAX_CACHED_CREDENTIALS,
    ttl: CREDENTIAL_CACHE_MS,
  });

  constructor(counters: RateCounters, limit: Limit, metrics: Metrics) {
    this.#counters = counters;
    this.#limit = limit;
    this.#metrics = metrics;
  }

  /**
   * Rejects an address that has exceeded the limit. Synchronous: uses only the count known to this process, which is updated from the
   * shared counters at each local failure. Recently valid credentials pass, because they are not a guess; they are still verified.
   * @param header the Authorization header
   * @throws DomainError `rate_limited`
   */
  requireNotBlocked(address: string, header: string): void {
    if (this.#limit.limit === 0) return;
    const count = this.#counters.peek(counterName(address));
    if (count === undefined || count.used < this.#limit.limit) return;
    const digest = digestOf(header);
    if (digest !== undefined && this.#validCredentials.has(digest)) return;
    this.#metrics.rateLimitRefusals.of(this.#limit.policy).value += 1;
    throw rateLimited(
      "Too many failed authentication attempts from this address.",
      allowanceOf(this.#limit, count),
    );
  }

  /** Records valid credentials. */
  recordSuccess(header: string): void {
    const digest = this.#limit.limit > 0 ? digestOf(header) : undefined;
    if (digest !== undefined) this.#validCredentials.set(digest, true);
  }

  /** Counts a failed authentication. */
  async recordFailure(address: string, header: string): Promise<void> {
    this.#metrics.authenticationFailures.value += 1;
    const { limit } = this.#limit;
    if (limit === 0) return;
    const digest = digestOf(header);
    if (digest !== undefined) this.#validCredentials.delete(digest);
    await this.#counters.take(counterName(address), 1, limit);
  }
}

/**
 * Returns the cache key of the credentials in a header. It has a fixed length and ignores spelling variants of the header, so that one
 * secret can neither fill the cache nor evict other entries.
 * @returns undefined if the header has no credentials
 */
function digestOf(header: string): string | undefined {
  const credentials = findCredentials(header);
  if (!credentials) return undefined;
  const { kind, secret } = credentials;
  return createHash("sha256").update(`${kind} ${secret}`).digest("base64url");
}

function counterName(address: string): string {
  return `auth-failures:${toAddressBlock(address)}`;
}
