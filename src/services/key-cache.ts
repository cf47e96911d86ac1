import { LRUCache } from "lru-cache";
import { HitCount } from "../domain/telemetry/counts.js";
import type { ActiveKey } from "../persistence/api-key-queries.js";

/** The longest that a key may be remembered: so long a revoked one may work elsewhere (decision 13). */
export const MAX_KEY_CACHE_MS = 1000;

/** The most keys that are remembered. */
const MAX_KEYS = 10_000;

interface Entry {
  readonly key: Promise<ActiveKey | null>;
  /** The key, once it was found. */
  found: ActiveKey | null;
  readonly until: number;
}

/**
 * Remembers for a moment which API keys are valid, so that not every request asks the database. One that is revoked elsewhere works no
 * longer than that moment (decision 13).
 */
export class KeyCache {
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_KEYS });
  readonly #milliseconds: number;
  readonly #hits: HitCount;

  /**
   * @param milliseconds how long; 0 remembers nothing
   * @param hits counts how often a key was remembered
   */
  constructor(milliseconds: number, hits = new HitCount()) {
    this.#milliseconds = milliseconds;
    this.#hits = hits;
  }

  /**
   * The valid key with this secret.
   * @param find asks the database
   */
  async find(secret: string, find: () => Promise<ActiveKey | null>): Promise<ActiveKey | null> {
    if (this.#milliseconds === 0) return find();
    const now = performance.now();
    const known = this.#entries.get(secret);
    if (known && known.until > now) {
      this.#hits.hits += 1;
      return known.key;
    }
    this.#hits.misses += 1;
    // Counted from before the question: what is answered was so then.
    const entry: Entry = { key: find(), found: null, until: now + this.#milliseconds };
    this.#entries.set(secret, entry);
    const forget = () => {
      if (this.#entries.get(secret) === entry) this.#entries.delete(secret);
    };
    // Neither what is not known nor an outage is remembered.
    entry.key.then((key) => {
      entry.found = key;
      if (!key) forget();
    }, forget);
    return entry.key;
  }

  /** The valid key with this secret, where it is remembered, at once; else null. */
  recall(secret: string): ActiveKey | null {
    const known = this.#entries.get(secret);
    if (!known?.found || known.until <= performance.now()) return null;
    this.#hits.hits += 1;
    return known.found;
  }

  /** Forgets every key: one was revoked here. */
  clear(): void {
    this.#entries.clear();
  }
}
