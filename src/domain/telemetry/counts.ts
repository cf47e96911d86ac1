/** How many there were. */
export class Count {
  value = 0;
}

/** How often something was at hand, and how often it was not. */
export class HitCount {
  hits = 0;
  misses = 0;
}

/** How many values of each size there were. */
export class Distribution {
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

/** Counts apart by labels. Labels are words of ours, never of callers: each combination is kept for good. */
export class ByLabels<Counted> implements Iterable<readonly [labels: readonly string[], counted: Counted]> {
  readonly #make: () => Counted;
  readonly #known = new Map<string, readonly [labels: readonly string[], counted: Counted]>();

  /** @param known labels that are there from the beginning: what then happens for the first time shows as a change */
  constructor(make: () => Counted, known: readonly (readonly string[])[] = []) {
    this.#make = make;
    for (const labels of known) this.of(...labels);
  }

  of(...labels: readonly string[]): Counted {
    const key = labels.join("\n");
    const known = this.#known.get(key);
    if (known) return known[1];
    const counted = this.#make();
    this.#known.set(key, [labels, counted]);
    return counted;
  }

  [Symbol.iterator](): Iterator<readonly [labels: readonly string[], counted: Counted]> {
    return this.#known.values();
  }
}
