import { parseJson } from "../api/exact-json.js";

/** Returns the text of a JSON value for people. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "–");
}

/** Returns the text with quotation marks if it looks like a value of another type. */
export function typedTextOf(value: unknown): string {
  return typeof value === "string" && jsonValue(value) !== undefined ? JSON.stringify(value) : textOf(value);
}

/** A number of JSON. */
export const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Returns the value of a JSON text; undefined for another text. */
export function jsonValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
