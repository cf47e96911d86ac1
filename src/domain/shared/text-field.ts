import { type FieldPath, invalidField } from "./errors.js";

/** Decision 12: ids and names are 1 to 255 characters (Unicode code points, as PostgreSQL counts them). */
export const MAX_TEXT_LENGTH = 255;

/**
 * Checks an id or a name.
 * @returns the same string
 * @throws DomainError `invalid_field` when it is missing, no string, empty, too long, or not storable text
 */
export function parseText(value: unknown, field: FieldPath): string {
  if (isText(value)) return value;
  throw invalidField(field, textRule(value) ?? "is invalid");
}

/** Says whether a value is a valid id or name. */
export function isText(value: unknown): value is string {
  return textRule(value) === undefined;
}

/** The rule for ids and names that a value breaks; undefined when it is valid. */
export function textRule(value: unknown): string | undefined {
  if (value === undefined) return "is required";
  if (typeof value !== "string") return "must be a string";
  if (value === "") return "must not be empty";
  if (isLongerThan(value, MAX_TEXT_LENGTH)) return `must be at most ${MAX_TEXT_LENGTH} characters long`;
  return storableRule(value);
}

/** Says whether a text has more characters (Unicode code points) than that. */
function isLongerThan(text: string, characters: number): boolean {
  // A code point takes one or two UTF-16 units, so only lengths between the two bounds need counting.
  return text.length > characters && [...text.slice(0, 2 * characters + 1)].length > characters;
}

/** @throws DomainError `invalid_field` for text that PostgreSQL cannot hold: a NUL character or half a surrogate pair */
export function requireStorable(value: string, field: FieldPath): void {
  const rule = storableRule(value);
  if (rule !== undefined) throw invalidField(field, rule);
}

/** Why PostgreSQL cannot hold a text; undefined when it can. */
export function storableRule(value: string): string | undefined {
  if (value.includes("\u0000")) return "must not contain the character U+0000";
  return value.isWellFormed() ? undefined : "must not contain an unpaired surrogate";
}

/** Says whether PostgreSQL can hold a text: without the character U+0000 and without half a surrogate pair. */
export function isStorable(value: string): boolean {
  return storableRule(value) === undefined;
}
