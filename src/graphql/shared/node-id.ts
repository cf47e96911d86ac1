import { parseInternalId } from "../../domain/shared/internal-id.js";

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

/** Those that outgrow 32 bits. */
const SERIAL_TYPES: readonly NodeType[] = ["AuditEntry", "WebhookDelivery"];

/** The types that have global ids. */
export type NodeType = (typeof NODE_TYPES)[number];

/** What a global id says. */
interface NodeName {
  readonly type: NodeType;
  readonly id: number;
  /** The number of a part of the object, such as one of its revisions; null for the object itself. */
  readonly part: number | null;
}

/** An id that no object has. */
const NO_ID = 0;

/** The global id of an object, or of a part of it: opaque to callers. The account is not in it, as the API key decides that. */
export function toNodeId(type: NodeType, id: number, part: number | null = null): string {
  return Buffer.from([type, id, ...(part === null ? [] : [part])].join(":")).toString("base64url");
}

/** The object that a global id names, or null for a text that is none of ours. */
export function readNodeId(nodeId: string): NodeName | null {
  const [name, digits = "", partDigits] = Buffer.from(nodeId, "base64url").toString("latin1").split(":", 3);
  const type = NODE_TYPES.find((known) => known === name);
  const isSerial = SERIAL_TYPES.some((serial) => serial === type);
  const id = isSerial ? parseSerial(digits) : parseInternalId(digits);
  const part = partDigits === undefined ? null : parseInternalId(partDigits);
  const isWhole = type === "SiteConfigRevision" ? part !== null : part === null;
  return type && id !== null && isWhole && toNodeId(type, id, part) === nodeId ? { type, id, part } : null;
}

/** The internal id in a global id; an id that no object has where it is of another type, or none of ours. */
export function readNodeIdOf(type: NodeType, nodeId: string): number {
  const node = readNodeId(nodeId);
  return node?.type === type ? node.id : NO_ID;
}

function parseSerial(digits: string): number | null {
  return /^[1-9]\d{0,15}$/.test(digits) && Number.isSafeInteger(Number(digits)) ? Number(digits) : null;
}
