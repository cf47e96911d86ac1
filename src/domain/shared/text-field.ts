import { type FieldPath, invalidField } from "./errors.js";

/** Maximum length of IDs and names in Unicode code points, as PostgreSQL counts them (decision 12). */
export const MAX_TEXT_LENGTH = 255;

/**
 * Validates an ID or a name.
 * @returns the same string
 * @throws DomainError `invalid_field` if it is missing, not a string, empty, too long, or not storable
 */
export function parseText(value: unknown, field: FieldPath): string {
  const rule = textRule(value);
  if (rule === undefined && typeof value === "string") return value;
  throw invalidField(field, rule ?? "is invalid");
}

/** Returns whether a value is a valid ID or name. */
export function isText(value: unknown): value is string {
  return textRule(value) === undefined;
}

/** Returns the rule for IDs and names that a value violates; undefined if it is valid. */
export function textRule(value: unknown): string | undefined {
  if (value === undefined) return "is required";
  if (typeof value !== "string") return "must be a string";
  if (value === "") return "must not be empty";
  // A code point takes one or two UTF-16 code units, so only lengths between the two bounds need counting.
  if (value.length > MAX_TEXT_LENGTH && [...value.slice(0, 2 * MAX_TEXT_LENGTH + 1)].length > MAX_TEXT_LENGTH)
    return `must be at most ${MAX_TEXT_LENGTH} characters long`;
  return storableRule(value);
}

/** @throws DomainError `invalid_field` for text that PostgreSQL cannot store: a NUL character or an unpaired surrogate */
export function requireStorable(value: string, field: FieldPath): void {
  const rule = storableRule(value);
  if (rule !== undefined) throw invalidField(field, rule);
}

/** Returns the rule that makes a text unstorable in PostgreSQL; undefined if it is storable. */
export function storableRule(value: string): string | undefined {
  if (value.includes("\u0000")) return "must not contain the character U+0000";
  return value.isWellFormed() ? undefined : "must not contain an unpaired surrogate";
}

/** Returns whether PostgreSQL can store a text: no character U+0000 and no unpaired surrogate. */
export function isStorable(value: string): boolean {
  return storableRule(value) === undefined;
}
