import { isObject } from "./json.js";
import { JsonTokens } from "./json-tokens.js";

/** The text of a JSON object, as its author wrote it. */
export class JsonSource {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Puts the source text of one member in place of its value, if that is an object: the value has lost spelling and precision of its
 * numbers, and the order of keys that look like integers.
 * @param text what the object was parsed from
 */
export function withSource(
  object: Readonly<Record<string, unknown>>,
  key: string,
  text: string,
): Readonly<Record<string, unknown>> {
  return isObject(object[key]) ? { ...object, [key]: new JsonSource(findMember(text, key)) } : object;
}

/** The text of a member's value. Of several members with this key the last counts, as for `JSON.parse`. */
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

/** Moves to the last token of a value, of which the first is reached. @returns where it ends */
function skipValue(tokens: JsonTokens, first: string): number {
  let depth = 0;
  for (let token = first; ; token = tokens.next()) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth === 0) return tokens.end;
  }
}
