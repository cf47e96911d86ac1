import type { UserGroupFields } from "../../domain/user-groups/user-group.js";
import { type RecordedChange, recorded, recordedChange } from "../shared/audit-recording.js";
import type { Statement } from "../shared/statement.js";
import { eachField, USER_GROUP_FIELDS } from "../shared/user-group-fields.js";
import { UPDATED } from "./derived-columns.js";
import type { Remapped } from "./mapping-bulk-writes.js";
import { type UserGroupRow, userGroupColumns } from "./row.js";

/** Expressions of an audit event about a row of `user_group`. */
const GROUP_EVENT = {
  subjectName: "provided_id",
  version: "version",
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

/** A row of `updateStatement`: the group after the update, and `t` if it was changed, else `f`. */
export type UpdatedRow = UserGroupRow<[changed: string]>;

/** Changes of a group's row; absent fields are not changed. */
export interface RowChanges extends Partial<UserGroupFields> {
  /** Absent if the entries of the mapping have not changed. */
  readonly remapped?: Remapped | undefined;
}

/** The columns of an item of `updateStatement`, with their types. */
export const CHANGE_COLUMNS: readonly (readonly [name: string, type: "boolean" | "text"])[] = [
  ["former_mapping", "text"],
  ["is_mapped", "boolean"],
  ...USER_GROUP_FIELDS.flatMap(
    ({ column }) =>
      [
        [`sets_${column}`, "boolean"],
        [`new_${column}`, "text"],
      ] as const,
  ),
];

/** Returns the values of `CHANGE_COLUMNS`. */
export function valuesOfChanges(changes: RowChanges): unknown[] {
  const { remapped } = changes;
  const values: unknown[] = remapped
    ? [JSON.stringify([...remapped.former]), remapped.isMapped]
    : [null, null];
  for (const { property } of USER_GROUP_FIELDS)
    values.push(changes[property] !== undefined, changes[property] ?? null);
  return values;
}

/**
 * Builds a statement that updates the groups that differ, incrementing their versions (decision 12a), and returns all groups found.
 * Properties are compared as JSON values; equal ones keep their text.
 * @param items query of the changes: `CHANGE_COLUMNS` and columns of the condition
 * @param condition finds the group of an item in the environment
 */
export function updateStatement(name: string, items: string, condition: string): Statement {
  const differs = eachField(({ column }) => `${column}_differs`, " OR ");
  return {
    name,
    rows: "text",
    access: "write",
    // Lock first: a comparison with the statement's snapshot would miss changes that were committed while it waited.
    ...recordedChange(
      `item AS (${items}),
      compared AS (
        SELECT user_group.*, former_mapping, is_mapped, former_mapping IS NOT NULL AS mapping_differs, ${eachField(
          ({ column, type }) => `new_${column},
          CASE WHEN NOT sets_${column} OR user_group.${column}::text IS NOT DISTINCT FROM new_${column} THEN false
            ELSE ${type === "json" ? `user_group.${column}::jsonb IS DISTINCT FROM new_${column}::jsonb` : "true"} END AS ${column}_differs`,
        )}
        FROM user_group, item WHERE account_id = $1 AND environment = $2 AND ${condition}
        FOR NO KEY UPDATE OF user_group),
      found AS (
        SELECT *, ${differs} OR mapping_differs AS differs FROM compared),
      updated AS (
        UPDATE user_group SET ${eachField(
          ({ column, type }) =>
            `${column} = CASE WHEN ${column}_differs THEN new_${column}::${type} ELSE user_group.${column} END`,
        )},
          mapping_version = user_group.mapping_version + CASE WHEN mapping_differs THEN 1 ELSE 0 END,
          ${UPDATED},
          version = user_group.version + 1, updated_at = now()
        FROM found
        WHERE user_group.account_id = $1 AND user_group.environment = $2 AND user_group.id = found.id AND differs
        RETURNING user_group.*, ${eachField(({ column }) => `${column}_differs`)}, mapping_differs)`,
      {
        ...GROUP_EVENT,
        action: "'user_group.updated'",
        changed: `array_remove(ARRAY[${eachField(({ column, property }) => `CASE WHEN ${column}_differs THEN '${property}' END`)},
          CASE WHEN mapping_differs THEN 'mapping' END], NULL)`,
        from: "FROM updated",
        history: `SELECT account_id, environment, id AS user_group_id, version, ${eachField(({ column }) => column)}, mapping_version,
          former_mapping::json AS mapping FROM found WHERE differs`,
      },
      (further) => `SELECT ${userGroupColumns("updated")}, true${further} FROM updated
      UNION ALL SELECT ${userGroupColumns("found")}, false${further} FROM found WHERE NOT differs`,
    ),
  };
}
