import { type RecordedChange, recorded, recordedChange } from "../shared/audit-recording.js";
import type { Statement } from "../shared/statement.js";
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

/**
 * Builds a statement that updates the groups that differ, incrementing their versions (decision 12a), and returns all groups found.
 * Properties are compared as JSON values; equal ones keep their text.
 * @param items query of the changes: new_name, sets_properties, new_properties, changes_mapping and columns of the condition
 * @param condition finds the group of an item in the environment
 */
export function updateStatement(name: string, items: string, condition: string): Statement {
  return {
    name,
    rows: "text",
    access: "write",
    // Lock first: a comparison with the statement's snapshot would miss changes that were committed while it waited.
    ...recordedChange(
      `item AS (${items}),
      compared AS (
        SELECT user_group.*, new_name, new_properties,
          new_name IS NOT NULL AND new_name <> user_group.name AS name_differs,
          CASE WHEN NOT sets_properties OR user_group.properties::text IS NOT DISTINCT FROM new_properties THEN false
            ELSE user_group.properties::jsonb IS DISTINCT FROM new_properties::jsonb END AS properties_differ,
          changes_mapping AS mapping_differs
        FROM user_group, item WHERE account_id = $1 AND environment = $2 AND ${condition}
        FOR NO KEY UPDATE OF user_group),
      found AS (
        SELECT *, name_differs OR properties_differ OR mapping_differs AS differs FROM compared),
      updated AS (
        UPDATE user_group SET name = coalesce(new_name, user_group.name),
          properties = CASE WHEN properties_differ THEN new_properties::json ELSE user_group.properties END,
          mapping_version = user_group.mapping_version + CASE WHEN mapping_differs THEN 1 ELSE 0 END,
          version = user_group.version + 1, updated_at = now()
        FROM found
        WHERE user_group.account_id = $1 AND user_group.environment = $2 AND user_group.id = found.id AND differs
        RETURNING user_group.*, name_differs, properties_differ, mapping_differs)`,
      {
        ...GROUP_EVENT,
        action: "'user_group.updated'",
        changed: `array_remove(ARRAY[CASE WHEN name_differs THEN 'name' END, CASE WHEN properties_differ THEN 'properties' END,
          CASE WHEN mapping_differs THEN 'mapping' END], NULL)`,
        from: "FROM updated",
      },
      (further) => `SELECT ${userGroupColumns("updated")}, true${further} FROM updated
      UNION ALL SELECT ${userGroupColumns("found")}, false${further} FROM found WHERE NOT differs`,
    ),
  };
}
