/** Returns the items in the order of the requested keys; null for keys without an item. */
export function inOrder<Key, Item>(
  keys: readonly Key[],
  found: readonly Item[],
  keyOf: (item: Item) => Key,
): (Item | null)[] {
  const byKey = new Map<Key, Item>();
  for (const item of found) byKey.set(keyOf(item), item);
  return keys.map((key) => byKey.get(key) ?? null);
}
