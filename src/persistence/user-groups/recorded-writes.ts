import { type RecordedChange, recorded } from "../shared/audit-recording.js";

/** Expressions of an audit event about a row of `user_group`. */
export const GROUP_EVENT = {
  subjectName: "provided_id",
  version: "version",
  requestRow: "encode(token_lookup, 'hex')",
} as const;

/**
 * Builds the texts of a statement that changes groups and records it.
 * @param change ends with `RETURNING user_group.*`
 * @param columns of the groups to return
 */
export function recordedGroups(
  event: "created" | "token_rotated" | "deleted",
  change: string,
  columns: string,
): RecordedChange {
  return recorded(change, { ...GROUP_EVENT, action: `'user_group.${event}'` }, columns);
}
