import type { FieldPath } from "../shared/errors.js";
import type { JsonValue } from "../shared/json.js";
import { parseJsonValue } from "../shared/json-value.js";
import { requireSize } from "./site-config.js";

/** A value from a JSON or GraphQL parser that is small enough to be stored. */
export interface SubmittedJson {
  readonly value: unknown;
  /** Path in the input. */
  readonly field: FieldPath;
  /** Size in bytes without insignificant white space. */
  readonly size: number;
}

export type DocumentSource = { readonly text: string } | SubmittedJson;

// Unstorable text is reported by the validator, together with all other findings.
const RULES = { storable: false } as const;

/** @throws DomainError `invalid_field` for a value that is too large or too deep */
export function measureJson(value: unknown, field: FieldPath): SubmittedJson {
  const json = stringify(value, field);
  requireSize(json, field);
  return { value, field, size: Buffer.byteLength(json) };
}

/** Validates the numbers and the depth of a value. @throws DomainError `invalid_field` */
export function parseSubmittedJson({ value, field }: SubmittedJson): JsonValue {
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
