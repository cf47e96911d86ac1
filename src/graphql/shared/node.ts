import { Field, ID, InterfaceType } from "type-graphql";
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
  "SessionTemplate",
  "PropertySchema",
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

@InterfaceType("Node", { description: "An object with a global ID." })
export abstract class NodeView {
  readonly #name: Parameters<typeof toNodeId>;

  /** @param name parts of the global ID, encoded only if it is read */
  constructor(...name: Parameters<typeof toNodeId>) {
    this.#name = name;
  }

  @GetterField(() => ID, { description: "The object's global ID, opaque and unique across all types." })
  get id(): string {
    return toNodeId(...this.#name);
  }
}

/**
 * Declares a getter as a field without arguments or context. On a getter, `Field` would create a full resolver with its overhead on
 * every read; this is as cheap as a property.
 */
export function GetterField(...field: Parameters<typeof Field>): PropertyDecorator {
  return (prototype, name) => Field(...field)(prototype, name);
}
