import { LRUCache } from "lru-cache";
import { type Deadline, SharedDeadline } from "../../domain/shared/deadline.js";
import type { ActiveKey } from "../../persistence/accounts/api-key-queries.js";
import { CacheStats } from "../../telemetry/counters.js";

/** The longest that a key may be remembered: so long a revoked one may work where its revocation is not notified (decision 13). */
export const MAX_KEY_CACHE_MS = 1000;

/** The most keys that are remembered. */
const MAX_KEYS = 10_000;

interface Entry {
  readonly key: Promise<ActiveKey | null>;
  /** The key, once it was found. */
  found: ActiveKey | null;
  /** That of the question, until it is answered. */
  deadline: SharedDeadline | undefined;
  /** In milliseconds of `performance.now()`. */
  readonly until: number;
}

/**
 * Remembers for a moment which API keys are valid, so that not every request asks the database. One that is revoked is dropped; where
 * its revocation is not notified, it works no longer than that moment (decision 13).
 */
export class KeyCache {
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_KEYS });
  readonly #milliseconds: number;
  readonly #hits: CacheStats;

  /**
   * @param milliseconds how long; 0 remembers nothing
   * @param hits counts how often a key was remembered
   */
  constructor(milliseconds: number, hits = new CacheStats()) {
    this.#milliseconds = milliseconds;
    this.#hits = hits;
  }

  /**
   * The valid key with this secret.
   * @param deadline of the request
   * @param find asks the database; until a deadline, as further requests may wait for the answer
   */
  async find(
    secret: string,
    deadline: Deadline | undefined,
    find: (deadline: Deadline | undefined) => Promise<ActiveKey | null>,
  ): Promise<ActiveKey | null> {
    if (this.#milliseconds === 0) return find(deadline);
    const now = performance.now();
    const known = this.#entries.get(secret);
    if (known && known.until > now && !(known.found && hasExpired(known.found))) {
      this.#hits.hits += 1;
      known.deadline?.join(deadline);
      return known.key;
    }
    this.#hits.misses += 1;
    // Counted from before the question: what is answered was so then.
    const shared = new SharedDeadline();
    shared.join(deadline);
    const entry: Entry = {
      key: find(shared),
      found: null,
      deadline: shared,
      until: now + this.#milliseconds,
    };
    this.#entries.set(secret, entry);
    const forget = () => {
      if (this.#entries.get(secret) === entry) this.#entries.delete(secret);
    };
    // Neither what is not known nor an outage is remembered.
    entry.key.then((key) => {
      entry.found = key;
      // What it keeps of requests is no longer needed.
      entry.deadline = undefined;
      if (!key) forget();
    }, forget);
    return entry.key;
  }

  /** The valid key with this secret, where it is remembered, at once; else null. */
  recall(secret: string): ActiveKey | null {
    const known = this.#entries.get(secret);
    if (!known?.found || known.until <= performance.now() || hasExpired(known.found)) return null;
    this.#hits.hits += 1;
    return known.found;
  }

  /** Forgets a key, which was revoked. */
  drop(keyId: number): void {
    for (const [secret, { found }] of this.#entries.entries()) {
      // A key that is still being looked up may have been found before it was revoked.
      if (!found || found.keyId === keyId) this.#entries.delete(secret);
    }
  }
}

function hasExpired({ expiresAt }: ActiveKey): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}
