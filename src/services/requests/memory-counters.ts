import type { Counter } from "../../domain/requests/rate-limit.js";

/** Beyond that many names, the one whose window ends first is forgotten: some 25 MB. */
const MAX_NAMES = 100_000;

interface Window {
  used: number;
  /** On this process's steady clock. */
  endsAt: number;
}

/** Counts points in the memory of this process, of which it takes no more than a fixed amount. */
export class MemoryCounters {
  readonly #windowMs: number;
  readonly #maxNames: number;
  /** In the order in which the windows began, which is about that in which they end. */
  readonly #windows = new Map<string, Window>();

  constructor(windowMs: number, maxNames = MAX_NAMES) {
    this.#windowMs = windowMs;
    this.#maxNames = maxNames;
  }

  /** How many names it remembers. */
  get size(): number {
    return this.#windows.size;
  }

  /** Takes points, unless that makes more than the limit. */
  take(name: string, points: number, limit: number): Counter {
    const now = steadyMs();
    const window = this.#current(name, now) ?? this.#begin(name, now + this.#windowMs, now);
    const taken = window.used + points <= limit;
    if (taken) window.used += points;
    return { taken, used: window.used, endsInMs: window.endsAt - now };
  }

  /** The count of a name; undefined when its window has ended. */
  look(name: string): Omit<Counter, "taken"> | undefined {
    const now = steadyMs();
    const window = this.#current(name, now);
    return window && { used: window.used, endsInMs: window.endsAt - now };
  }

  /** Remembers what was counted elsewhere. */
  note(name: string, { used, endsInMs }: Omit<Counter, "taken">): void {
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

/** Whole milliseconds: sums of fractions would make a minute longer than a minute. */
function steadyMs(): number {
  return Math.floor(performance.now());
}
