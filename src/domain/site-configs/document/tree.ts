/** A JSON value with its offset. Offsets increase in document order. */
export type ConfigNode = StringNode | PlainNode | ArrayNode | ObjectNode;

export type JsonType = ConfigNode["type"];

export interface StringNode {
  readonly type: "string";
  readonly offset: number;
  readonly value: string;
}

export interface PlainNode {
  readonly type: "number" | "boolean" | "null";
  readonly offset: number;
}

export interface ArrayNode {
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
