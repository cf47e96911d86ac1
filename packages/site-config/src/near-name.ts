const MAX_DISTANCE = 2;

/** Returns a sentence to append to a message, with a leading space, that names the nearest candidate; an empty string if there is none. */
export function suggestion(name: string, candidates: Iterable<string>): string {
  const nearest = findNearest(name, candidates);
  return nearest === null ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
}

/** Returns the nearest candidate (the first of several) that is at most two edits away, ignoring case; null if there is none. */
export function findNearest(name: string, candidates: Iterable<string>): string | null {
  let nearest: string | null = null;
  let minDistance = MAX_DISTANCE + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), MAX_DISTANCE);
    // Two edits can turn any short word into any other.
    if (distance < minDistance && distance <= candidate.length / 2) {
      nearest = candidate;
      minDistance = distance;
    }
  }
  return nearest;
}

/**
 * Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements and swaps of neighbours.
 * @returns infinity if the distance is above `max`, which limits the recursion
 */
function editDistance(from: string, to: string, max: number): number {
  if (Math.abs(from.length - to.length) > max) return Number.POSITIVE_INFINITY;
  let same = 0;
  while (same < from.length && from[same] === to[same]) same += 1;
  const [a, b] = [from.slice(same), to.slice(same)];
  if (a === b) return 0;
  if (max === 0) return Number.POSITIVE_INFINITY;
  const isSwapped = a.length > 1 && a[0] === b[1] && a[1] === b[0];
  return (
    1 +
    Math.min(
      editDistance(a.slice(1), b, max - 1),
      editDistance(a, b.slice(1), max - 1),
      editDistance(a.slice(1), b.slice(1), max - 1),
      isSwapped ? editDistance(a.slice(2), b.slice(2), max - 1) : Number.POSITIVE_INFINITY,
    )
  );
}
