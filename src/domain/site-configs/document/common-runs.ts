/** Items that two lists share: from index `from` of the one and index `to` of the other on. */
export interface CommonRun {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

/**
 * The search takes steps by the square of what differs, and each may keep a number: this many take 32 MB and well below
 * a second. They suffice for 4,000 changes in a list, and for a few in one of a million items.
 */
const MAX_STEPS = 2 ** 23;

/** Where the search begins: no item of either list is passed. */
const ORIGIN = Int32Array.of(0);

/** Finds what lists have in common. All searches of one finder share its bound on work; beyond, they find less. */
export class CommonRunFinder {
  #steps = MAX_STEPS;

  /** @returns runs in rising order; the last, which may be empty, ends where both lists end */
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
   * Myers' greedy search for the fewest insertions and removals. Round d holds, for each of its d + 1 diagonals, how many
   * items of `from` can be passed with d changes; on diagonal k, k more of them are passed than of `to`.
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

/** The more of an insertion, which passes no item of `from`, and a removal, which passes one. */
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
