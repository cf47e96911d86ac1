/** Any JSON value, as returned by `JSON.parse`. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Returns whether a value is a JSON object, not an array or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether a JSON value is an object, not a list or null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isObject(value);
}

/** Error rule for fields that accept an object or null. */
export const NULLABLE_OBJECT_RULE = "must be a JSON object or null";

/** Returns whether a value is neither null nor undefined. */
export function isPresent<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

/** A character that is more than white space, an accent or a control character: searches ignore the others. */
const VISIBLE = /[^\s\p{Mark}\p{Cc}\p{Cf}]/u;

/** Returns whether a condition may be met by everything. An empty list is not: it names nothing. */
export function isBlank(value: unknown): boolean {
  if (typeof value === "string") return !VISIBLE.test(value);
  return isObject(value) && !(value instanceof Date) && Object.keys(value).length === 0;
}

/** Returns an own property; undefined for missing keys and inherited ones such as `toString`. */
export function memberOf(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
