/** Returns the value of a key in a cache, which is created once. */
export function getOrCreate<Key, Value>(
  cache: Pick<Map<Key, Value>, "get"> & { set(key: Key, value: Value): unknown },
  key: Key,
  create: () => Value,
): Value {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const created = create();
  cache.set(key, created);
  return created;
}
