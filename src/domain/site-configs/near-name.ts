const FARTHEST = 2;

/**
 * Finds what a mistyped name was probably meant to be: at most two edits away, letter case aside.
 * @returns the nearest candidate, the first of equals, or null
 */
export function nearName(name: string, candidates: Iterable<string>): string | null {
  const typed = name.toLowerCase();
  let best: string | null = null;
  let least = FARTHEST + 1;
  for (const candidate of candidates) {
    const meant = candidate.toLowerCase();
    if (Math.abs(meant.length - typed.length) > FARTHEST) continue;
    const distance = editDistance(typed, meant);
    // Two edits turn any short word into any other.
    if (distance < least && distance <= meant.length / 2) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/** The sentence to add to a message, with a space before it, or nothing. */
export function suggestion(name: string, candidates: Iterable<string>): string {
  const near = nearName(name, candidates);
  return near === null ? "" : ` Did you mean ${JSON.stringify(near)}?`;
}

/**
 * Insertions, deletions, replacements and swaps of neighbours (Damerau-Levenshtein, optimal string alignment).
 * @returns a number above FARTHEST as soon as the names are known to be farther apart
 */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  let minOfLast = 0;
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let distance = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        distance = Math.min(distance, at(beforeLast, column - 2) + 1);
      }
      current.push(distance);
      least = Math.min(least, distance);
    }
    // A swap reaches back two rows, so both must be too far for the rest to be.
    if (least > FARTHEST && minOfLast > FARTHEST) return least;
    minOfLast = least;
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(distances: readonly number[], index: number): number {
  return distances[index] ?? Number.POSITIVE_INFINITY;
}
