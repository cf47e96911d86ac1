import type { JsonValue } from "../shared/json.js";
import type { Encoder, Reference } from "./reference.js";

/** What a text between single quotes of SQL must not contain: quotes, also those that databases convert, and what SQL or Jinja read as more than text. */
const UNSAFE_IN_SQL = /['"`\\{}\p{C}\p{Zl}\p{Zp}\p{Pi}\p{Pf}\u02b9-\u02bd\u2032\uff02\uff07\uff3c]/u;

/** Returns whether a value counts as missing: it would mean no restriction to some tool. */
export function isEmpty(value: JsonValue): boolean {
  if (value === null) return true;
  // Also of characters that cannot be seen.
  if (typeof value === "string") return !/[^\p{C}\p{Z}]/u.test(value);
  if (typeof value !== "object") return false;
  const members = Object.values<JsonValue>(value);
  return members.length === 0 || members.some(isEmpty);
}

/**
 * Returns the rule that a value violates where its reference stands; undefined if it can be written there.
 * @param isWhole whether the reference is the whole text, and so keeps the value's type
 */
export function valueRule(
  { encoder, oneOf, allowsEmpty }: Reference,
  value: JsonValue,
  isWhole: boolean,
): string | undefined {
  if (!allowsEmpty && isEmpty(value)) return "is empty; `| allowEmpty` would allow that";
  if (oneOf && !oneOf.some((each) => each === value)) return `is none of ${oneOf.join(", ")}`;
  if (hasUnsafeNumber(value))
    return "has a number beyond 9007199254740991, which not every tool keeps; use `| text`";
  return encoder === undefined && isWhole ? undefined : encodingRule(encoder, value);
}

function encodingRule(encoder: Encoder | undefined, value: JsonValue): string | undefined {
  if (encoder === "number") return typeof value === "number" ? undefined : "must be a number";
  if (value === null || typeof value === "object") return "must be a text, a number, true or false";
  if (encoder === "sqlString" && UNSAFE_IN_SQL.test(String(value)))
    return "must not contain quotes, backslashes, braces or control characters in SQL";
  return undefined;
}

/** Writes a value that violates no rule. */
export function encodeValue({ encoder }: Reference, value: JsonValue): string {
  const text = String(value);
  // Also the four characters that RFC 3986 reserves and the function leaves.
  return encoder === "uri" ? encodeURIComponent(text).replaceAll(/['()*]/g, percentEncode) : text;
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Returns whether a number is too large to be exact in JavaScript, or was marked as inexact. */
export function isUnsafeNumber(value: JsonValue): boolean {
  return typeof value === "number" && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER);
}

function hasUnsafeNumber(value: JsonValue): boolean {
  if (value === null || typeof value !== "object") return isUnsafeNumber(value);
  return Object.values<JsonValue>(value).some(hasUnsafeNumber);
}
