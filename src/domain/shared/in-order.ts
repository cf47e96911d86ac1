/** Puts what was found into the order of the keys that were asked for. @returns null for a key of which nothing was found */
export function inOrder<Key, Item>(
  keys: readonly Key[],
  found: readonly Item[],
  keyOf: (item: Item) => Key,
): (Item | null)[] {
  const byKey = new Map(found.map((item) => [keyOf(item), item]));
  return keys.map((key) => byKey.get(key) ?? null);
}

/** The item at an index that must be there. */
export function requireAt<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`There is no item ${index} among ${items.length}.`);
  return item;
}
