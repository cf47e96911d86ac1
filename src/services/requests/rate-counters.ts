import type { Counter, SharedCounters } from "../../domain/requests/rate-limit.js";
import { MemoryCounters } from "./memory-counters.js";

/**
 * Counts cost units in the shared counters, and in process memory while these are unreachable. Shared counts are mirrored in memory, so
 * that an outage does not reset any allowance.
 */
export class RateCounters {
  readonly #local: MemoryCounters;
  readonly #shared: SharedCounters | undefined;
  readonly #windowMs: number;

  constructor(windowMs: number, shared: SharedCounters | undefined) {
    this.#local = new MemoryCounters(windowMs);
    this.#shared = shared;
    this.#windowMs = windowMs;
  }

  /** Adds cost units, unless the sum would exceed the limit. */
  async take(name: string, cost: number, limit: number): Promise<Counter> {
    if (!this.#shared?.isReachable) return this.#local.take(name, cost, limit);
    try {
      const count = await this.#shared.take(name, cost, limit, this.#windowMs);
      this.#local.set(name, count);
      return count;
    } catch {
      // The shared counters report their own outage.
      return this.#local.take(name, cost, limit);
    }
  }

  /** Returns the count known to this process, without a request to the shared counters; undefined if there is none. */
  peek(name: string): Omit<Counter, "taken"> | undefined {
    return this.#local.peek(name);
  }
}
