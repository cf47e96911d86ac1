import type { FieldPath } from "../shared/errors.js";
import type { JsonValue } from "../shared/json.js";
import { parseJsonValue } from "../shared/json-value.js";

/** A request value serialized as JSON, so that its size is known and it can be sent to a worker thread. */
export interface SerializedJson {
  readonly json: string;
  /** Path in the input. */
  readonly field: FieldPath;
}

export type DocumentSource = { readonly text: string } | SerializedJson;

// Unstorable text is reported by the validator, together with all other findings.
const RULES = { storable: false } as const;

/**
 * Serializes a value from a JSON or GraphQL parser.
 * @throws DomainError `invalid_field` for values that JSON cannot represent
 */
export function serializeJson(value: unknown, field: FieldPath): SerializedJson {
  const json = stringify(value, field);
  // JSON.stringify serializes Infinity (such as 1e999) as null.
  if (json.includes("null") && hasInfinity(value)) parseJsonValue(value, field, RULES);
  return { json, field };
}

/** Parses the value and validates its numbers and depth. @throws DomainError `invalid_field` */
export function parseSerializedJson({ json, field }: SerializedJson): JsonValue {
  const value: unknown = JSON.parse(json);
  return parseJsonValue(value, field, RULES);
}

function stringify(value: unknown, field: FieldPath): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The value is nested too deeply for the stack; parseJsonValue throws a validation error at a lower depth.
    if (error instanceof RangeError) return JSON.stringify(parseJsonValue(value, field, RULES));
    throw error;
  }
}

/** Iterative and without copies: takes a fraction of the time of `parseJsonValue`. */
function hasInfinity(root: unknown): boolean {
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "number" && !Number.isFinite(value)) return true;
    if (typeof value === "object" && value !== null) {
      for (const item of Object.values(value)) open.push(item);
    }
  }
  return false;
}
