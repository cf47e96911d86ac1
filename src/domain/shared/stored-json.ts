import { createScanner } from "jsonc-parser";
import { type FieldPath, invalidField } from "./errors.js";
import { isObject } from "./json.js";
import { isInRange, MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS } from "./json-text.js";
import { storableRule } from "./text-field.js";

/** Reads the tokens of a valid JSON text with their offsets. Not recursive, so nesting depth is not a hazard. */
class JsonTokens {
  readonly #scanner: ReturnType<typeof createScanner>;

  /** @param text valid JSON */
  constructor(private readonly text: string) {
    this.#scanner = createScanner(text, true);
  }

  /** Advances to the next token. @returns its first character; an empty string at the end of the text */
  next(): string {
    this.#scanner.scan();
    return this.text.charAt(this.start);
  }

  get start(): number {
    return this.#scanner.getTokenOffset();
  }

  get end(): number {
    return this.start + this.#scanner.getTokenLength();
  }

  /** The unescaped value of a string token; the text of any other token. */
  get value(): string {
    return this.#scanner.getTokenValue();
  }
}

/** The original text of a JSON object. */
export class JsonSource {
  constructor(readonly text: string) {}
}

/**
 * Replaces one object-valued member by its source text. Parsing loses the spelling and precision of numbers, and the order of
 * integer-like keys.
 * @param text the text that `object` was parsed from
 */
export function withSource(
  object: Readonly<Record<string, unknown>>,
  key: string,
  text: string,
): Readonly<Record<string, unknown>> {
  return isObject(object[key]) ? { ...object, [key]: new JsonSource(findMember(text, key)) } : object;
}

/** Returns the text of a member's value. Of duplicate keys the last one is used, as in `JSON.parse`. */
function findMember(text: string, key: string): string {
  const tokens = new JsonTokens(text);
  let found = "";
  for (let separator = tokens.next(); separator !== "}"; separator = tokens.next()) {
    tokens.next();
    const name = tokens.value;
    tokens.next();
    const first = tokens.next();
    const { start } = tokens;
    const end = skipValue(tokens, first);
    if (name === key) found = text.slice(start, end);
  }
  return found;
}

/** Skips to the last token of the value whose first token is current. @returns the offset of its end */
function skipValue(tokens: JsonTokens, first: string): number {
  let depth = 0;
  for (let token = first; ; token = tokens.next()) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth === 0) return tokens.end;
  }
}

/** Length of `1e131072`, the shortest number out of range. */
const MIN_OUT_OF_RANGE_LENGTH = 8;

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
  if (isInRange(token)) return;
  throw invalidField(
    path(),
    `must be a number of at most ${MAX_INTEGER_DIGITS} digits before the decimal point and ${MAX_FRACTION_DIGITS} after it`,
  );
}
