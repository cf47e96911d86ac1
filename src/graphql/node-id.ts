import { parseInternalId } from "../domain/data-source.js";

/** The types that have global ids. */
export type NodeType = "UserGroup" | "DataSource";

/** The global id of an object: opaque to callers. The account is not in it, as the API key decides that. */
export function toNodeId(type: NodeType, id: number): string {
  return Buffer.from(`${type}:${id}`).toString("base64url");
}

/** An id that no object has. */
const NO_ID = 0;

/** The internal id in a global id; for one that is none of ours, or of another type, an id that no object has. */
export function readNodeId(type: NodeType, nodeId: string): number {
  const match = /^([A-Za-z]+):(.*)$/.exec(Buffer.from(nodeId, "base64url").toString("latin1"));
  const id = match?.[1] === type ? parseInternalId(match[2] ?? "") : null;
  return id !== null && toNodeId(type, id) === nodeId ? id : NO_ID;
}
