import type { AuditPartsFragment } from "../api/generated/operations.js";

/** Consecutive entries of one request. */
export interface RequestGroup {
  /** The ID of the first entry. */
  readonly id: string;
  readonly first: AuditPartsFragment;
  /** All entries, including the first. */
  readonly entries: readonly AuditPartsFragment[];
}

/** Groups entries that follow each other and belong to the same request. */
export function groupByRequest(entries: readonly AuditPartsFragment[]): readonly RequestGroup[] {
  const groups: { id: string; first: AuditPartsFragment; entries: AuditPartsFragment[] }[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last && entry.requestId !== null && last.first.requestId === entry.requestId)
      last.entries.push(entry);
    else groups.push({ id: entry.id, first: entry, entries: [entry] });
  }
  return groups;
}
