import { type FieldPath, invalidField } from "../shared/errors.js";
import type { ListOrder, Sortable } from "../shared/pagination.js";

/** The same change of many user groups, made by one call or several. It contains neither the filter nor the values. */
export interface BulkChange {
  /** Internal. */
  readonly id: number;
  /** The ID that its author chose for it: a UUID, unique in the environment. */
  readonly changeId: string;
  /** The ID of the bulk change that it undoes; null if it is not an undo. */
  readonly undoOf: string | null;
  /** Names of the fields that it changes. */
  readonly changed: readonly string[];
  readonly authorName: string;
  /** The number of groups that it has changed. */
  readonly changedCount: number;
  readonly createdAt: Date;
  /** The time of its last call. */
  readonly updatedAt: Date;
}

export const BULK_CHANGE_ORDER = {
  fields: { "bulkChange.id": { property: "id", kind: "id" } },
  default: { field: "bulkChange.id", direction: "descending" },
} as const satisfies ListOrder<Sortable<BulkChange>>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Parses the ID of a bulk change. @returns it in lower case @throws DomainError `invalid_field` */
export function parseChangeId(value: string, field: FieldPath): string {
  const id = value.toLowerCase();
  if (UUID.test(id)) return id;
  throw invalidField(field, "must be a UUID, such as `7c3a5d5e-0f0b-4f7e-9b59-2f9d8f8f5a10`");
}
