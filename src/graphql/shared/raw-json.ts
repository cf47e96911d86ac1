import { randomUUID } from "node:crypto";
import { type FloatValueNode, GraphQLScalarType, type IntValueNode, visit } from "graphql";
import { GraphQLJSON as LossyJson } from "graphql-scalars";
import { isExactNumber } from "../../domain/shared/json-text.js";

/** Stands for a value until its text replaces it. Unguessable: no other string of a reply can equal it. */
const PLACEHOLDER = randomUUID();
const QUOTED_PLACEHOLDER = JSON.stringify(PLACEHOLDER);

/** The values of the reply that is being serialized, in order. */
let collected: string[] | undefined;

/** JSON text as the value of a `JSON` scalar. A reply contains it as it is, which is faster than to parse and serialize it. */
export class RawJson {
  /** @param text valid JSON */
  constructor(private readonly text: string) {}

  toJSON(): unknown {
    if (!collected) return JSON.parse(this.text);
    collected.push(this.text);
    return PLACEHOLDER;
  }
}

/** Serializes a reply that may contain raw JSON. @param indent spaces of each level, not within raw JSON */
export function stringifyReply(reply: object, indent = 0): string {
  const texts: string[] = [];
  collected = texts;
  let json: string;
  try {
    json = JSON.stringify(reply, null, indent);
  } finally {
    collected = undefined;
  }
  if (texts.length === 0) return json;
  let text = "";
  for (const [index, part] of json.split(QUOTED_PLACEHOLDER).entries()) text += part + (texts[index] ?? "");
  return text;
}

/** The scalar `JSON`. As in variables, numbers that a 64-bit float does not keep become Infinity, which the parsers refuse. */
export const GraphQLJSON = new GraphQLScalarType({
  ...LossyJson.toConfig(),
  description:
    "A JSON value. In input, numbers are 64-bit floats, integer-like keys come first, and numbers that a float does not keep, such as 9007199254740993, are refused: send them as strings, or properties over REST. Replies contain stored values as they were sent.",
  parseLiteral: (node, variables) =>
    LossyJson.parseLiteral(visit(node, { IntValue: markInexact, FloatValue: markInexact }), variables),
});

function markInexact(node: IntValueNode | FloatValueNode) {
  return isExactNumber(node.value) ? undefined : { ...node, value: "Infinity" };
}
