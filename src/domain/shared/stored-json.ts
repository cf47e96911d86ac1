import { type FieldPath, invalidField } from "./errors.js";
import { JsonTokens } from "./json-tokens.js";
import { storableRule } from "./text-field.js";

/** Limits of PostgreSQL's `numeric`, to which JSON numbers are converted for comparisons and filters. */
export const MAX_INTEGER_DIGITS = 131_072;
export const MAX_FRACTION_DIGITS = 16_383;

/** Length of `1e131072`, the shortest number out of range. */
const MIN_OUT_OF_RANGE_LENGTH = 8;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Validates JSON text that is stored as written. Tokens are validated rather than the parsed value, because parsing drops all but the
 * last of duplicate keys, and PostgreSQL reads them all.
 * @param text valid JSON
 * @param maxDepth maximum nesting depth, the value itself being level 1
 * @returns the text without insignificant white space
 * @throws DomainError `invalid_field` with the first path that PostgreSQL cannot store, or that is nested too deeply
 */
export function parseStoredJson(text: string, field: FieldPath, maxDepth: number): string {
  const tokens = new JsonTokens(text);
  /** The current key of each open object (null before a key), or the current index of each open array. */
  const levels: (string | number | null)[] = [];
  const path = () => [...field, ...levels.filter((level) => level !== null).map(String)];
  const parts: string[] = [];
  let partStart = 0;
  let partEnd = 0;
  for (let token = tokens.next(); token !== ""; token = tokens.next()) {
    const { start, end } = tokens;
    if (start !== partEnd) {
      parts.push(text.slice(partStart, partEnd));
      partStart = start;
    }
    partEnd = end;
    const level = levels.at(-1);
    if (token === "{" || token === "[") {
      if (levels.length === maxDepth) {
        throw invalidField(path(), `must be nested at most ${maxDepth} levels deep`);
      }
      levels.push(token === "{" ? null : 0);
    } else if (token === "}" || token === "]") {
      levels.pop();
    } else if (token === ",") {
      levels[levels.length - 1] = typeof level === "number" ? level + 1 : null;
    } else if (token === '"') {
      const { value } = tokens;
      const rule = storableRule(value);
      if (rule !== undefined) throw invalidField(path(), rule);
      if (level === null) levels[levels.length - 1] = value;
    } else if (end - start >= MIN_OUT_OF_RANGE_LENGTH) {
      requireInRange(text.slice(start, end), path);
    }
  }
  return [...parts, text.slice(partStart, partEnd)].join("");
}

function requireInRange(token: string, path: () => FieldPath): void {
  const [number, integer = "", fraction = "", exponent = "0"] = NUMBER.exec(token) ?? [];
  if (number === undefined) return;
  const shift = Number(exponent);
  if (integer.length + shift > MAX_INTEGER_DIGITS || fraction.length - shift > MAX_FRACTION_DIGITS) {
    throw invalidField(
      path(),
      `must be a number of at most ${MAX_INTEGER_DIGITS} digits before the decimal point and ${MAX_FRACTION_DIGITS} after it`,
    );
  }
}
