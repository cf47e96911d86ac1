import { isObject } from "./json.js";
import { JsonTokens } from "./json-tokens.js";

/** The original text of a JSON object. */
export class JsonSource {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
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
