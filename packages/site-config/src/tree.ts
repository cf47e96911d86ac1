/** A JSON value with its offset. Offsets increase in document order. */
export type ConfigNode = StringNode | PlainNode | ArrayNode | ObjectNode;

export type JsonType = ConfigNode["type"];

export interface StringNode {
  readonly type: "string";
  readonly offset: number;
  readonly value: string;
}

interface PlainNode {
  readonly type: "number" | "boolean" | "null";
  readonly offset: number;
}

interface ArrayNode {
  readonly type: "array";
  readonly offset: number;
  readonly items: readonly ConfigNode[];
}

export interface ObjectNode {
  readonly type: "object";
  readonly offset: number;
  readonly members: ReadonlyMap<string, ConfigMember>;
}

export interface ConfigMember {
  /** The offset of the key. */
  readonly offset: number;
  readonly value: ConfigNode;
}

/** Maximum nesting depth; recursion is safe up to here, and no real site reaches it. */
export const MAX_LEVELS = 200;

export const TOO_DEEP = `A document must have at most ${MAX_LEVELS} levels.`;

/** Extends a JSON pointer (RFC 6901) by a key or an index. */
export function pointerTo(parent: string, key: string | number): string {
  // Skip `replaceAll` for plain keys: it took a fifth of the validator's time.
  const isPlain = typeof key === "number" || !/[~/]/.test(key);
  return `${parent}/${isPlain ? key : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns the part of a text that PostgreSQL and other programs cannot store; null if there is none. */
export function unstorablePart(text: string): string | null {
  if (text.includes("\u0000")) return "the character U+0000";
  return text.isWellFormed() ? null : "an unpaired surrogate";
}

const MAX_NAME_LENGTH = 200;

/** Names the value at a pointer by its path, such as `"colors.anchors"` or `"tabs[0].openapi"`; only by the end of a long path. */
export function nameOf(pointer: string): string {
  if (pointer === "") return "The document";
  const start =
    pointer.length > MAX_NAME_LENGTH ? pointer.lastIndexOf("/", pointer.length - MAX_NAME_LENGTH) : 0;
  const [, ...segments] = pointer.slice(start).split("/");
  const path = segments.map((segment) =>
    /^\d+$/.test(segment) ? `[${segment}]` : `.${segment.replaceAll("~1", "/").replaceAll("~0", "~")}`,
  );
  return quote(`${start > 0 ? "…" : ""}${path.join("")}`.replace(/^\./, ""));
}

const MAX_QUOTE_LENGTH = 60;

/** Quotes and shortens a text of the document for a message, on one line. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH - 1)}…` : text);
}
