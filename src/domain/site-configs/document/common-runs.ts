/** A run of equal items, at index `from` of the first list and index `to` of the second. */
export interface CommonRun {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

/**
 * Bound on search steps, which are quadratic in the number of differences and may each store a number: 32 MB and well below
 * a second. Sufficient for 4,000 changes in a list, or for a few changes in a list of a million items.
 */
const MAX_STEPS = 2 ** 23;

/** Start of the search: no items of either list consumed. */
const ORIGIN = Int32Array.of(0);

/** Finds common runs of two lists. All searches of one finder share its step limit; beyond it, fewer runs are found. */
export class CommonRunFinder {
  #steps = MAX_STEPS;

  /** @returns runs in ascending order; the last one, possibly empty, ends at the end of both lists */
  find(from: readonly number[], to: readonly number[]): CommonRun[] {
    const shorter = Math.min(from.length, to.length);
    let head = 0;
    while (head < shorter && from[head] === to[head]) head += 1;
    let tail = 0;
    while (tail < shorter - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
    const ends = { from: from.length - tail, to: to.length - tail };
    const between = this.#search(from.slice(head, ends.from), to.slice(head, ends.to));
    return [
      { from: 0, to: 0, length: head },
      ...between.map((run) => ({ from: run.from + head, to: run.to + head, length: run.length })),
      { ...ends, length: tail },
    ];
  }

  /**
   * Myers' greedy search for the fewest insertions and removals. Round d holds, for each of its d + 1 diagonals, the maximum number
   * of items of `from` that d changes can consume; diagonal k consumes k items more of `from` than of `to`.
   */
  #search(from: readonly number[], to: readonly number[]): CommonRun[] {
    if (from.length === 0 || to.length === 0) return [];
    const isCommon = (x: number, y: number) => x < from.length && y < to.length && from[x] === to[y];
    const rounds: Int32Array[] = [];
    for (;;) {
      const changes = rounds.length;
      const round = new Int32Array(changes + 1);
      const previous = rounds.at(-1) ?? ORIGIN;
      rounds.push(round);
      for (let index = 0; index <= changes; index += 1) {
        const diagonal = 2 * index - changes;
        const start = startOf(previous, index);
        let passed = start;
        while (isCommon(passed, passed - diagonal)) passed += 1;
        round[index] = passed;
        this.#steps -= 1 + passed - start;
        if (this.#steps < 0) return [];
        if (passed >= from.length && passed - diagonal >= to.length) return traceBack(rounds, index);
      }
    }
  }
}

/** Returns the further of an insertion, which consumes no item of `from`, and a removal, which consumes one. */
function startOf(previous: Int32Array, index: number): number {
  return Math.max(previous[index] ?? -1, (previous[index - 1] ?? -2) + 1);
}

function traceBack(rounds: readonly Int32Array[], end: number): CommonRun[] {
  const runs: CommonRun[] = [];
  let index = end;
  for (let changes = rounds.length - 1; changes >= 0; changes -= 1) {
    const previous = rounds[changes - 1] ?? ORIGIN;
    const start = startOf(previous, index);
    const length = (rounds[changes]?.[index] ?? start) - start;
    if (length > 0) runs.push({ from: start, to: start - 2 * index + changes, length });
    if (previous[index] !== start) index -= 1;
  }
  return runs.toReversed();
}
