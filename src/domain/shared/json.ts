/** Any JSON value, as `JSON.parse` gives it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Tells a JSON object from the other values, arrays and null among them. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What callers are told of a field that takes an object or nothing. */
export const NULLABLE_OBJECT_RULE = "must be a JSON object or null";

/** Says whether there is a value at all: callers may leave something out, or say null. */
export function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

/** The value of a key; undefined when the object has none of its own, as of `toString`. */
export function memberOf(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
