/** Forgets what was put in first, where a map holds more than it may. @returns the value that was forgotten, if any was */
export function forgetOldest<Key, Value>(map: Map<Key, Value>, most: number): Value | undefined {
  if (map.size <= most) return undefined;
  for (const [key, value] of map) {
    map.delete(key);
    return value;
  }
  return undefined;
}
