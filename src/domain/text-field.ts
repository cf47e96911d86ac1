import { type FieldPath, invalidField } from "./errors.js";

/** Decision 12: ids and names are 1 to 255 characters (Unicode code points, as PostgreSQL counts them). */
export const MAX_TEXT_LENGTH = 255;

/**
 * Checks an id or a name.
 * @returns the same string
 * @throws DomainError `invalid_field` when it is missing, no string, empty, too long, or not storable text
 */
export function parseText(value: unknown, field: FieldPath): string {
  if (value === undefined) throw invalidField(field, "is required");
  if (typeof value !== "string") throw invalidField(field, "must be a string");
  if (value === "") throw invalidField(field, "must not be empty");
  // A code point takes one or two UTF-16 units, so only lengths between the two bounds need counting.
  if (
    value.length > MAX_TEXT_LENGTH &&
    [...value.slice(0, 2 * MAX_TEXT_LENGTH + 1)].length > MAX_TEXT_LENGTH
  ) {
    throw invalidField(field, `must be at most ${MAX_TEXT_LENGTH} characters long`);
  }
  requireStorable(value, field);
  return value;
}

/** @throws DomainError `invalid_field` for text that PostgreSQL cannot hold: a NUL character or half a surrogate pair */
export function requireStorable(value: string, field: FieldPath): void {
  if (value.includes("\u0000")) throw invalidField(field, "must not contain the character U+0000");
  if (!value.isWellFormed()) throw invalidField(field, "must not contain an unpaired surrogate");
}

/** Says whether PostgreSQL can hold a text: without the character U+0000 and without half a surrogate pair. */
export function isStorable(value: string): boolean {
  return !value.includes("\u0000") && value.isWellFormed();
}
