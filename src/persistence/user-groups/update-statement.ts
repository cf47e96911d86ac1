import { recordedChange } from "../shared/audit-recording.js";
import type { Statement } from "../shared/statement.js";
import { GROUP_EVENT } from "./recorded-writes.js";
import { type UserGroupRow, userGroupColumns } from "./row.js";

/** SQL expressions that select the groups and compute their new values. */
interface UpdateSource {
  /** Preceding common table expressions, with a trailing comma. */
  readonly tables?: string;
  readonly from: string;
  /** Condition in addition to the account ($1) and environment ($2). */
  readonly condition: string;
  /** Locking clause; none if the transaction has already locked the rows. */
  readonly lock?: string;
  readonly name: string;
  readonly setsProperties: string;
  readonly properties: string;
  readonly changesMapping: string;
}

/** A row of `updateStatement`: the group after the update, and `t` if it was changed, else `f`. */
export type UpdatedRow = UserGroupRow<[changed: string]>;

/**
 * Builds a statement that updates the groups that differ, incrementing their versions (decision 12a), and returns all groups found.
 * Properties are compared as JSON values; equal ones keep their text.
 */
export function updateStatement(statementName: string, source: UpdateSource): Statement {
  const { tables = "", from, condition, lock = "", name, setsProperties, properties } = source;
  return {
    name: statementName,
    rows: "text",
    access: "write",
    // Lock first: a comparison with the statement's snapshot would miss changes that were committed while it waited.
    ...recordedChange(
      `${tables} compared AS (
        SELECT user_group.*, ${name} AS new_name, ${properties} AS new_properties,
          ${name} IS NOT NULL AND ${name} <> user_group.name AS name_differs,
          CASE WHEN NOT ${setsProperties} OR user_group.properties::text IS NOT DISTINCT FROM ${properties} THEN false
            ELSE user_group.properties::jsonb IS DISTINCT FROM ${properties}::jsonb END AS properties_differ,
          ${source.changesMapping} AS mapping_differs
        FROM ${from} WHERE account_id = $1 AND environment = $2 AND ${condition} ${lock}),
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
