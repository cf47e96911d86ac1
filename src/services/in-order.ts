/** Puts what was found into the order of the keys that were asked for. @returns null for a key of which nothing was found */
export function inOrder<Key, Item>(
  keys: readonly Key[],
  found: readonly Item[],
  keyOf: (item: Item) => Key,
): (Item | null)[] {
  const byKey = new Map(found.map((item) => [keyOf(item), item]));
  return keys.map((key) => byKey.get(key) ?? null);
}
