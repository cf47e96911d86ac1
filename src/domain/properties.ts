import { type FieldPath, invalidField } from "./errors.js";
import { isObject, type JsonObject, NULLABLE_OBJECT_RULE } from "./json.js";
import { parseJsonObject } from "./json-value.js";

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
  if (!isObject(value)) throw invalidField(field, NULLABLE_OBJECT_RULE);
  const properties = parseJsonObject(value, field, { maxDepth: MAX_PROPERTIES_DEPTH, storable: true });
  if (Buffer.byteLength(JSON.stringify(properties)) > MAX_PROPERTIES_BYTES) {
    throw invalidField(field, `must take at most ${MAX_PROPERTIES_BYTES} bytes as JSON text`);
  }
  return properties;
}
