import { parseInternalId } from "../domain/data-source.js";

const NODE_TYPES = ["UserGroup", "DataSource", "ApiKey"] as const;

/** The types that have global ids. */
export type NodeType = (typeof NODE_TYPES)[number];

/** An id that no object has. */
const NO_ID = 0;

/** The global id of an object: opaque to callers. The account is not in it, as the API key decides that. */
export function toNodeId(type: NodeType, id: number): string {
  return Buffer.from(`${type}:${id}`).toString("base64url");
}

/** The object that a global id names, or null for a text that is none of ours. */
export function readNodeId(nodeId: string): { readonly type: NodeType; readonly id: number } | null {
  const [name, digits = ""] = Buffer.from(nodeId, "base64url").toString("latin1").split(":", 2);
  const type = NODE_TYPES.find((known) => known === name);
  const id = parseInternalId(digits);
  return type && id !== null && toNodeId(type, id) === nodeId ? { type, id } : null;
}

/** The internal id in a global id; an id that no object has where it is of another type, or none of ours. */
export function readNodeIdOf(type: NodeType, nodeId: string): number {
  const node = readNodeId(nodeId);
  return node?.type === type ? node.id : NO_ID;
}
