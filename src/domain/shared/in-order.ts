/** Returns the items in the order of the requested keys; null for keys without an item. */
export function inOrder<Key, Item>(
  keys: readonly Key[],
  found: readonly Item[],
  keyOf: (item: Item) => Key,
): (Item | null)[] {
  const byKey = new Map(found.map((item) => [keyOf(item), item]));
  return keys.map((key) => byKey.get(key) ?? null);
}

/** Returns the item at an index. @throws RangeError if there is none */
export function requireAt<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined)
    throw new RangeError(`Index ${index} is out of range: there are ${items.length} items.`);
  return item;
}
