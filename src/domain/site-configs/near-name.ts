const MAX_DISTANCE = 2;

/**
 * Finds the intended name of a typo: at most two edits away, ignoring case.
 * @returns the nearest candidate (the first of several), or null
 */
export function findNearName(name: string, candidates: Iterable<string>): string | null {
  const lowerName = name.toLowerCase();
  let best: string | null = null;
  let minDistance = MAX_DISTANCE + 1;
  for (const candidate of candidates) {
    const lowerCandidate = candidate.toLowerCase();
    if (Math.abs(lowerCandidate.length - lowerName.length) > MAX_DISTANCE) continue;
    const distance = editDistance(lowerName, lowerCandidate);
    // Two edits can turn any short word into any other.
    if (distance < minDistance && distance <= lowerCandidate.length / 2) {
      best = candidate;
      minDistance = distance;
    }
  }
  return best;
}

/** Returns a sentence to append to a message, with a leading space, or an empty string. */
export function suggestion(name: string, candidates: Iterable<string>): string {
  const near = findNearName(name, candidates);
  return near === null ? "" : ` Did you mean ${JSON.stringify(near)}?`;
}

/**
 * Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements and swaps of neighbours.
 * @returns a number above MAX_DISTANCE as soon as the distance is known to exceed it
 */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  let minOfLastRow = 0;
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    let minDistance = row;
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
      minDistance = Math.min(minDistance, distance);
    }
    // A swap refers to two rows back, so both rows must exceed the maximum.
    if (minDistance > MAX_DISTANCE && minOfLastRow > MAX_DISTANCE) return minDistance;
    minOfLastRow = minDistance;
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(distances: readonly number[], index: number): number {
  return distances[index] ?? Number.POSITIVE_INFINITY;
}
