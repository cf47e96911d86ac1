import type { FieldPath } from "../shared/errors.js";
import type { JsonValue } from "../shared/json.js";
import { parseJsonValue } from "../shared/json-value.js";

/** A value that came with a request, written as JSON: so its size is known, and it can be sent to a worker thread. */
export interface WrittenJson {
  readonly json: string;
  /** Where in the input it came from. */
  readonly field: FieldPath;
}

/** A site configuration that came with a request. */
export type WrittenSource = { readonly text: string } | WrittenJson;

// The validator reports text that cannot be stored, together with all else that is wrong.
const RULES = { storable: false } as const;

/**
 * Writes a value that a parser of JSON or GraphQL created as JSON.
 * @throws DomainError `invalid_field` for what JSON cannot express, or no program can read back
 */
export function writeJson(value: unknown, field: FieldPath): WrittenJson {
  const json = stringify(value, field);
  // JSON.stringify writes null for a number such as 1e999.
  if (json.includes("null") && hasInfinity(value)) parseJsonValue(value, field, RULES);
  return { json, field };
}

/** Reads a value back, and checks its numbers and depth. @throws DomainError `invalid_field` */
export function readJson({ json, field }: WrittenJson): JsonValue {
  const value: unknown = JSON.parse(json);
  return parseJsonValue(value, field, RULES);
}

function stringify(value: unknown, field: FieldPath): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The value is nested deeper than the stack allows: the check reports it before it gets that deep.
    if (error instanceof RangeError) return JSON.stringify(parseJsonValue(value, field, RULES));
    throw error;
  }
}

/** Walks without recursion and without copies: it takes a fraction of the time of `parseJsonValue`. */
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
