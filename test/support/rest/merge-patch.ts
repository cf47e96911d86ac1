import { isObject, type JsonValue } from "../../../src/domain/shared/json.js";

/** The algorithm of RFC 7396, section 2. */
export function mergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const members = new Map<string, JsonValue>(isObject(target) ? Object.entries(target) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name) ?? null, change));
  }
  return Object.fromEntries(members);
}
