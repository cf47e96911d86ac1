import type { Counter } from "../../domain/requests/rate-limit.js";

/** Bounds memory to about 25 MB; beyond it, the oldest window is evicted. */
const MAX_NAMES = 100_000;

interface Window {
  used: number;
  /** In milliseconds of the monotonic clock. */
  endsAt: number;
}

/** Counts cost units in a bounded amount of process memory. */
export class MemoryCounters {
  readonly #windowMs: number;
  readonly #maxNames: number;
  /** Ordered by start of the windows, which approximates the order of their ends. */
  readonly #windows = new Map<string, Window>();

  constructor(windowMs: number, maxNames = MAX_NAMES) {
    this.#windowMs = windowMs;
    this.#maxNames = maxNames;
  }

  /** Number of counters. */
  get size(): number {
    return this.#windows.size;
  }

  /** Adds cost units, unless the sum would exceed the limit. */
  take(name: string, cost: number, limit: number): Counter {
    const now = steadyMs();
    const window = this.#current(name, now) ?? this.#begin(name, now + this.#windowMs, now);
    const taken = window.used + cost <= limit;
    if (taken) window.used += cost;
    return { taken, used: window.used, endsInMs: window.endsAt - now };
  }

  /** Returns the current count without changing it; undefined if the window has ended. */
  peek(name: string): Omit<Counter, "taken"> | undefined {
    const now = steadyMs();
    const window = this.#current(name, now);
    return window && { used: window.used, endsInMs: window.endsAt - now };
  }

  /** Stores a count from the shared counters. */
  set(name: string, { used, endsInMs }: Omit<Counter, "taken">): void {
    const now = steadyMs();
    const endsAt = now + endsInMs;
    const window = this.#current(name, now) ?? this.#begin(name, endsAt, now);
    window.used = used;
    window.endsAt = endsAt;
  }

  #current(name: string, now: number): Window | undefined {
    const window = this.#windows.get(name);
    return window && window.endsAt > now ? window : undefined;
  }

  #begin(name: string, endsAt: number, now: number): Window {
    this.#windows.delete(name);
    for (const [oldest, window] of this.#windows) {
      if (window.endsAt > now && this.#windows.size < this.#maxNames) break;
      this.#windows.delete(oldest);
    }
    const window = { used: 0, endsAt };
    this.#windows.set(name, window);
    return window;
  }
}

/** Rounded to milliseconds: accumulated fractions would extend the window. */
function steadyMs(): number {
  return Math.floor(performance.now());
}
