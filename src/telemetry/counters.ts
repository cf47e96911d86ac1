export class Counter {
  value = 0;
}

/** Results of a purge in this process. */
export class PurgeStats {
  rows = 0;
  failures = 0;
  /** Unix time of the last successful run, in seconds; undefined before the first one. */
  succeededAt: number | undefined;
  /** For how long the oldest row has been expired; undefined before the first run. */
  backlogSeconds: number | undefined;
}

export class CacheStats {
  hits = 0;
  misses = 0;
}

export class Histogram {
  /** Inclusive upper bounds of the buckets; larger values go to the `+Inf` bucket. */
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = [...bounds.map(() => 0), 0];
  }

  record(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

/** Node of a tree with one level per label. */
interface LabelNode<Series> {
  readonly children: Map<string, LabelNode<Series>>;
  series: Series | undefined;
}

/** A metric with labels. Each combination is kept for the life of the process, so label values must never come from callers. */
export class Labeled<Series> implements Iterable<readonly [labels: readonly string[], series: Series]> {
  readonly #create: () => Series;
  readonly #series: (readonly [labels: readonly string[], series: Series])[] = [];
  // A tree: concatenating the labels to one key would take longer than the lookup.
  readonly #root: LabelNode<Series> = { children: new Map(), series: undefined };

  /** @param known label combinations that exist from the start, so that their first increment shows as a change */
  constructor(create: () => Series, known: readonly (readonly string[])[] = []) {
    this.#create = create;
    for (const labels of known) this.of(...labels);
  }

  of(...labels: readonly string[]): Series {
    let node = this.#root;
    for (const label of labels) {
      let next = node.children.get(label);
      if (!next) {
        next = { children: new Map(), series: undefined };
        node.children.set(label, next);
      }
      node = next;
    }
    if (node.series === undefined) {
      node.series = this.#create();
      this.#series.push([labels, node.series]);
    }
    return node.series;
  }

  [Symbol.iterator](): Iterator<readonly [labels: readonly string[], series: Series]> {
    return this.#series[Symbol.iterator]();
  }
}
