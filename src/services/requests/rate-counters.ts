import type { Counter, SharedCounters } from "../../domain/requests/rate-limit.js";
import { MemoryCounters } from "./memory-counters.js";

/**
 * Counts points with all replicas, and alone where the shared counters are out of reach. What those said is remembered, so that
 * losing them gives nobody a new allowance.
 */
export class RateCounters {
  readonly #own: MemoryCounters;
  readonly #shared: SharedCounters | undefined;
  readonly #windowMs: number;

  constructor(windowMs: number, shared: SharedCounters | undefined) {
    this.#own = new MemoryCounters(windowMs);
    this.#shared = shared;
    this.#windowMs = windowMs;
  }

  /** Takes points, unless that makes more than the limit. */
  async take(name: string, points: number, limit: number): Promise<Counter> {
    if (!this.#shared?.isInReach) return this.#own.take(name, points, limit);
    try {
      const count = await this.#shared.take(name, points, limit, this.#windowMs);
      this.#own.note(name, count);
      return count;
    } catch {
      // Whoever lost it has told.
      return this.#own.take(name, points, limit);
    }
  }

  /** What this process knows of a name's count, without asking; undefined for nothing. */
  look(name: string): Omit<Counter, "taken"> | undefined {
    return this.#own.look(name);
  }
}
