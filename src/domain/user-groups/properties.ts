import { DomainError, domainErrorOr, type FieldPath, invalidField } from "../shared/errors.js";
import { isObject, NULLABLE_OBJECT_RULE } from "../shared/json.js";
import { parseJsonText } from "../shared/json-text.js";
import { parseJsonObject } from "../shared/json-value.js";
import { mergePatchText } from "../shared/merge-patch.js";
import { JsonSource, parseStoredJson } from "../shared/stored-json.js";

/** Limits of properties (decision 12): 64 KiB as JSON text and 16 levels, the object itself being level 1. */
export const MAX_PROPERTIES_BYTES = 64 * 1024;
export const MAX_PROPERTIES_DEPTH = 16;
/** Bytes of properties after which a search through the groups of an environment reads no further page. */
export const MAX_SEARCHED_BYTES = 8 * 1024 * 1024;

/** The custom properties of a group: the text of a JSON object without insignificant white space, or null. */
export type Properties = string | null;

/**
 * Validates the properties of a group.
 * @param value a `JsonSource` if the text is known, which is then preserved; otherwise a parsed value
 * @throws DomainError `invalid_field` with the invalid path, if they are no object, too large, too deep or not storable
 */
export function parseProperties(value: unknown, field: FieldPath): Properties {
  const advice = "send it as a string, or the properties over REST";
  return value === null ? null : requireSize(toText(value, field, advice), field);
}

/**
 * Validates the properties that a filter requires: a parsed object, or the JSON text of one, in which numbers may have any size.
 * @throws DomainError `invalid_field` as `parseProperties` does
 */
export function parsePropertiesFilter(value: unknown, field: FieldPath): Properties {
  if (value === null) return null;
  const source = typeof value === "string" ? toSource(value, field) : value;
  return requireSize(toText(source, field, "send the filter as JSON text"), field);
}

function toSource(text: string, field: FieldPath): JsonSource {
  // Before it is parsed.
  requireSize(text, field);
  const parsed = domainErrorOr(() => parseJsonText(text, "The text"));
  if (parsed instanceof DomainError || !isObject(parsed))
    throw invalidField(field, "must be a JSON object, its text, or null");
  return new JsonSource(text);
}

/**
 * Applies a JSON Merge Patch (RFC 7396), which was validated like properties. So the result has no more levels than they may have.
 * @throws DomainError `invalid_field` if the result is too large
 */
export function mergeProperties(properties: Properties, patch: Properties): Properties {
  if (patch === null) return null;
  return requireSize(mergePatchText(properties ?? "{}", patch, MAX_PROPERTIES_BYTES), ["propertiesPatch"]);
}

function requireSize(text: string, field: FieldPath): string {
  if (Buffer.byteLength(text) > MAX_PROPERTIES_BYTES) {
    throw invalidField(field, `must be at most ${MAX_PROPERTIES_BYTES} bytes of JSON`);
  }
  return text;
}

function toText(value: unknown, field: FieldPath, numberAdvice: string): string {
  if (value instanceof JsonSource) return parseStoredJson(value.text, field, MAX_PROPERTIES_DEPTH);
  if (!isObject(value)) throw invalidField(field, NULLABLE_OBJECT_RULE);
  const rules = { maxDepth: MAX_PROPERTIES_DEPTH, storable: true, numberAdvice };
  return JSON.stringify(parseJsonObject(value, field, rules));
}
