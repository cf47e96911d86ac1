import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { findCredentials } from "../../domain/authentication/authorization.js";
import { toAddressBlock } from "../../domain/requests/address-block.js";
import { allowanceOf, rateLimited } from "../../domain/requests/rate-limit.js";
import type { Limit } from "../../domain/shared/allowance.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { RateCounters } from "./rate-counters.js";

/** How many credentials are remembered, and for how long after they were last found valid. */
const MAX_PROVEN = 10_000;
const PROVEN_MS = 3_600_000;

/** Counts failed authentications by address, and refuses those from which there are too many (decision 33). */
export class AuthFailures {
  readonly #counters: RateCounters;
  readonly #limit: Limit;
  readonly #metrics: Metrics;
  readonly #proven = new LRUCache<string, true>({ max: MAX_PROVEN, ttl: PROVEN_MS });

  constructor(counters: RateCounters, limit: Limit, metrics: Metrics) {
    this.#counters = counters;
    this.#limit = limit;
    this.#metrics = metrics;
  }

  /**
   * Refuses an address by what this process knows, without waiting for anything: it learns of failures elsewhere at the next one here.
   * Credentials that were valid a short time ago are let through, to be looked up: they are no guess.
   * @param header the Authorization header
   * @throws DomainError `rate_limited`
   */
  requireFew(address: string, header: string): void {
    if (this.#limit.limit === 0) return;
    const count = this.#counters.look(nameOf(address));
    if (count === undefined || count.used < this.#limit.limit) return;
    const digest = digestOf(header);
    if (digest !== undefined && this.#proven.has(digest)) return;
    this.#metrics.rateLimitRefusals.of(this.#limit.policy).value += 1;
    throw rateLimited(
      "Authentication has failed too often from this address.",
      allowanceOf(this.#limit, count),
    );
  }

  /** Remembers the valid credentials of an Authorization header. */
  noteSuccess(header: string): void {
    const digest = this.#limit.limit > 0 ? digestOf(header) : undefined;
    if (digest !== undefined) this.#proven.set(digest, true);
  }

  /** Counts a failure. */
  async note(address: string, header: string): Promise<void> {
    this.#metrics.authenticationFailures.value += 1;
    const { limit } = this.#limit;
    if (limit === 0) return;
    const digest = digestOf(header);
    if (digest !== undefined) this.#proven.delete(digest);
    await this.#counters.take(nameOf(address), 1, limit);
  }
}

/**
 * Under what credentials are remembered: one key for all ways to write the header, and of one length, so that nobody can fill the memory,
 * or push out others, with one secret.
 * @returns undefined for a header that holds none
 */
function digestOf(header: string): string | undefined {
  const credentials = findCredentials(header);
  if (!credentials) return undefined;
  const { kind, secret } = credentials;
  return createHash("sha256").update(`${kind} ${secret}`).digest("base64url");
}

function nameOf(address: string): string {
  return `auth-failures:${toAddressBlock(address)}`;
}
