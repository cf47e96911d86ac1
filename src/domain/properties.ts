import { type FieldPath, invalidField } from "./errors.js";
import { isObject, type JsonObject, type JsonValue } from "./json.js";
import { requireStorable } from "./text-field.js";

/** Decision 12: properties take at most 64 KiB as JSON text and 16 levels, the object itself being the first. */
export const MAX_PROPERTIES_BYTES = 64 * 1024;
export const MAX_PROPERTIES_DEPTH = 16;

/** The free-form variables of a group; null when it has none. */
export type Properties = JsonObject | null;

/**
 * Checks the properties of a group.
 * @throws DomainError `invalid_field` naming the faulty place, when they are no object, too large, too deep or not storable
 */
export function parseProperties(value: unknown, field: FieldPath): Properties {
  if (value === null) return null;
  if (!isObject(value)) throw invalidField(field, "must be a JSON object or null");
  const properties = parseObject(value, field, 1);
  if (Buffer.byteLength(JSON.stringify(properties)) > MAX_PROPERTIES_BYTES) {
    throw invalidField(field, `must take at most ${MAX_PROPERTIES_BYTES} bytes as JSON text`);
  }
  return properties;
}

function parseObject(value: Readonly<Record<string, unknown>>, field: FieldPath, depth: number): JsonObject {
  if (depth > MAX_PROPERTIES_DEPTH) throw tooDeep(field);
  const entries = Object.entries(value).map(([key, child]): [string, JsonValue] => {
    requireStorable(key, field);
    return [key, parseValue(child, [...field, key], depth + 1)];
  });
  return Object.fromEntries(entries);
}

function parseValue(value: unknown, field: FieldPath, depth: number): JsonValue {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") {
    requireStorable(value, field);
    return value;
  }
  if (typeof value === "number") {
    // 1e999 is valid JSON, but becomes Infinity, which JSON cannot express on the way back.
    if (!Number.isFinite(value)) throw invalidField(field, "must be a number that a 64-bit float can hold");
    // Such a number was probably another one in the text: 2^53 + 1 is read as 2^53.
    if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21) {
      throw invalidField(
        field,
        "must not be a whole number beyond 2^53, which would lose digits; send it as a string",
      );
    }
    return value;
  }
  if (Array.isArray(value)) {
    if (depth > MAX_PROPERTIES_DEPTH) throw tooDeep(field);
    return value.map((child, index) => parseValue(child, [...field, String(index)], depth + 1));
  }
  if (isObject(value)) return parseObject(value, field, depth);
  throw invalidField(field, "must be a JSON value");
}

function tooDeep(field: FieldPath) {
  return invalidField(field, `must be nested at most ${MAX_PROPERTIES_DEPTH} levels deep`);
}
