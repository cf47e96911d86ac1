import { parseInternalId, parseRevisionNumber } from "../../domain/shared/internal-id.js";

const NODE_TYPES = [
  "UserGroup",
  "DataSource",
  "ApiKey",
  "SiteConfig",
  "SiteConfigRevision",
  "AuditEntry",
  "WebhookEndpoint",
  "WebhookDelivery",
] as const;

/** Types with global IDs. */
export type NodeType = (typeof NODE_TYPES)[number];

/** A decoded global ID. */
export interface NodeReference {
  readonly type: NodeType;
  readonly id: number;
  /** Number of a part of the object, such as a revision; null for the object itself. */
  readonly part: number | null;
}

/** An ID that no object has. */
const NO_ID = 0;

/** Returns the opaque global ID of an object or a part of it. It does not contain the account, which the API key determines. */
export function toNodeId(type: NodeType, id: number, part: number | null = null): string {
  return Buffer.from([type, id, ...(part === null ? [] : [part])].join(":")).toString("base64url");
}

/** Decodes a global ID; returns null if it is malformed. */
export function parseNodeId(nodeId: string): NodeReference | null {
  const [name, digits = "", partDigits] = Buffer.from(nodeId, "base64url").toString("latin1").split(":", 3);
  const type = NODE_TYPES.find((known) => known === name);
  const id = parseInternalId(digits);
  const part = partDigits === undefined ? null : parseRevisionNumber(partDigits);
  const isWhole = type === "SiteConfigRevision" ? part !== null : part === null;
  return type && id !== null && isWhole && toNodeId(type, id, part) === nodeId ? { type, id, part } : null;
}

/** Returns the internal ID from a global ID, or an ID that no object has if it is malformed or of another type. */
export function parseNodeIdOfType(type: NodeType, nodeId: string): number {
  const node = parseNodeId(nodeId);
  return node?.type === type ? node.id : NO_ID;
}
