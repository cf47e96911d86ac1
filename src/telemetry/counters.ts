/** How many there were. */
export class Counter {
  value = 0;
}

/** What a purge has done in this process. */
export class PurgeStats {
  rows = 0;
  failures = 0;
  /** When a run last succeeded, in seconds since 1970; undefined before the first one. */
  succeededAt: number | undefined;
  /** For how long the oldest row should have been gone; undefined before the first run. */
  backlogSeconds: number | undefined;
}

/** How often something was at hand, and how often it was not. */
export class CacheStats {
  hits = 0;
  misses = 0;
}

/** How many values of each size there were. */
export class Histogram {
  /** The largest value of each class; what is larger than the last one has a class of its own. */
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = [...bounds.map(() => 0), 0];
  }

  record(value: number): void {
    const { bounds, counts } = this;
    let place = 0;
    while (place < bounds.length && value > (bounds[place] ?? 0)) place += 1;
    counts[place] = (counts[place] ?? 0) + 1;
    this.sum += value;
  }
}

/** What is counted under some labels, and what under these and further ones. */
interface Place<Counted> {
  readonly below: Map<string, Place<Counted>>;
  counted: Counted | undefined;
}

/** Counts apart by labels. Labels are words of ours, never of callers: each combination is kept for good. */
export class ByLabels<Counted> implements Iterable<readonly [labels: readonly string[], counted: Counted]> {
  readonly #make: () => Counted;
  readonly #all: (readonly [labels: readonly string[], counted: Counted])[] = [];
  // Label by label: to put them together would take longer than to find them.
  readonly #root: Place<Counted> = { below: new Map(), counted: undefined };

  /** @param known labels that are there from the beginning: what then happens for the first time shows as a change */
  constructor(make: () => Counted, known: readonly (readonly string[])[] = []) {
    this.#make = make;
    for (const labels of known) this.of(...labels);
  }

  of(...labels: readonly string[]): Counted {
    let place = this.#root;
    for (const label of labels) {
      let next = place.below.get(label);
      if (!next) {
        next = { below: new Map(), counted: undefined };
        place.below.set(label, next);
      }
      place = next;
    }
    if (place.counted === undefined) {
      place.counted = this.#make();
      this.#all.push([labels, place.counted]);
    }
    return place.counted;
  }

  [Symbol.iterator](): Iterator<readonly [labels: readonly string[], counted: Counted]> {
    return this.#all[Symbol.iterator]();
  }
}
