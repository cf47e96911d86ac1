import type { AuditPartsFragment, PagePartsFragment } from "../api/generated/operations.js";

/** Consecutive entries of one request. */
export interface RequestGroup {
  readonly id: string;
  readonly first: AuditPartsFragment;
  /** All entries on the page, including the first. */
  readonly entries: readonly AuditPartsFragment[];
  /** Whether the page before or after may have further entries of the request. */
  readonly isCut: boolean;
}

/** Groups entries of a page that follow each other and belong to the same request. */
export function groupByRequest(
  entries: readonly AuditPartsFragment[],
  { hasPreviousPage, hasNextPage }: PagePartsFragment,
): readonly RequestGroup[] {
  const groups: AuditPartsFragment[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last && entry.requestId !== null && last[0]?.requestId === entry.requestId) last.push(entry);
    else groups.push([entry]);
  }
  return groups.flatMap((entries, index) => {
    const [first] = entries;
    const isCut = (index === 0 && hasPreviousPage) || (index === groups.length - 1 && hasNextPage);
    return first ? [{ id: first.id, first, entries, isCut }] : [];
  });
}
