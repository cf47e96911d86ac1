import { type FieldPath, invalidField } from "./errors.js";

/** Decision 12: ids and names are 1 to 255 characters (Unicode code points, as PostgreSQL counts them). */
export const MAX_TEXT_LENGTH = 255;

/** What callers are told of a text, by the keywords of JSON Schema that the REST face describes it with. */
export const TEXT_RULES = {
  required: "is required",
  type: "must be a string",
  minLength: "must not be empty",
  maxLength: `must be at most ${MAX_TEXT_LENGTH} characters long`,
} as const;

/**
 * Checks an id or a name.
 * @returns the same string
 * @throws DomainError `invalid_field` when it is missing, no string, empty, too long, or not storable text
 */
export function parseText(value: unknown, field: FieldPath): string {
  if (value === undefined) throw invalidField(field, TEXT_RULES.required);
  if (typeof value !== "string") throw invalidField(field, TEXT_RULES.type);
  if (value === "") throw invalidField(field, TEXT_RULES.minLength);
  if (isLongerThan(value, MAX_TEXT_LENGTH)) throw invalidField(field, TEXT_RULES.maxLength);
  requireStorable(value, field);
  return value;
}

/** Says whether a text has more characters (Unicode code points) than that. */
export function isLongerThan(text: string, characters: number): boolean {
  // A code point takes one or two UTF-16 units, so only lengths between the two bounds need counting.
  return text.length > characters && [...text.slice(0, 2 * characters + 1)].length > characters;
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
