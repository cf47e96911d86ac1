import { randomUUID } from "node:crypto";

/** Stands for a value until its text replaces it. Unguessable: no other string of a reply can equal it. */
const PLACEHOLDER = randomUUID();
const QUOTED_PLACEHOLDER = JSON.stringify(PLACEHOLDER);

/** The values of the reply that is being serialized, in order. */
let collected: string[] | undefined;

/** JSON text as the value of a `JSON` scalar. A reply contains it as it is, which is faster than to parse and serialize it. */
export class RawJson {
  readonly #text: string;

  /** @param text valid JSON */
  constructor(text: string) {
    this.#text = text;
  }

  toJSON(): unknown {
    if (!collected) return JSON.parse(this.#text);
    collected.push(this.#text);
    return PLACEHOLDER;
  }
}

/** Serializes a reply that may contain raw JSON. */
export function stringifyReply(reply: object): string {
  const texts: string[] = [];
  collected = texts;
  let json: string;
  try {
    json = JSON.stringify(reply);
  } finally {
    collected = undefined;
  }
  if (texts.length === 0) return json;
  const parts = json.split(QUOTED_PLACEHOLDER);
  return parts.map((part, index) => part + (texts[index] ?? "")).join("");
}
