import type { StoredToken } from "../../domain/accounts/token-vault.js";
import type { ExpectedValues, UserGroup, UserGroupFields } from "../../domain/user-groups/user-group.js";
import { type RecordedChange, recorded, recordedChange } from "../shared/audit-recording.js";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { eachField, USER_GROUP_FIELDS } from "../shared/user-group-fields.js";
import { INSERTED, UPDATED } from "./derived-columns.js";
import type { Remapped } from "./mapping-writes.js";
import { schemaIs } from "./property-schemas.js";
import {
  queryUserGroup,
  queryUserGroups,
  REF_CONDITIONS,
  readUserGroup,
  refValue,
  type StoredRef,
  statementsByRef,
  USER_GROUP_COLUMNS,
  type UserGroupRow,
  userGroupColumns,
  valuesAfterGroup,
} from "./row.js";

// Raw SQL: hot, or many rows in one statement. Each statement also records the change that it makes (decision 34).

/** Returns the texts of a statement that changes groups, records it and returns them. @param change ends with RETURNING of all columns */
function recordedGroups(event: "created" | "token_rotated" | "deleted", change: string): RecordedChange {
  return recorded(change, { action: `'user_group.${event}'` }, USER_GROUP_COLUMNS);
}

/** Name and SQL type of a column. */
type TypedColumn = readonly [name: string, type: "bigint" | "boolean" | "bytea" | "text"];

/** Returns a relation of rows whose columns are passed as arrays. @param first number of the first placeholder */
function rowsOf(alias: string, columns: readonly TypedColumn[], first = 3): string {
  const values = columns.map(([, type], index) => `$${index + first}::${type}[]`);
  return `unnest(${values.join(", ")}) AS ${alias} (${columns.map(([name]) => name).join(", ")})`;
}

export interface NewUserGroupRow extends UserGroupFields {
  readonly providedId: string;
  readonly token: StoredToken;
  /** Whether the transaction adds entries to the mapping. */
  readonly isMapped: boolean;
}

const NEW_COLUMNS: readonly TypedColumn[] = [
  ["provided_id", "text"],
  ["token_key_id", "text"],
  ["token_ciphertext", "bytea"],
  ["token_lookup", "bytea"],
  ["is_mapped", "boolean"],
  ...USER_GROUP_FIELDS.map(({ column }) => [column, "text"] as const),
];

/** The columns of an inserted group besides account and environment, with their values for an item. */
const INSERTED_VALUES: readonly (readonly [column: string, value: string])[] = [
  ...["id", "provided_id", "token_key_id", "token_ciphertext", "token_lookup"].map(
    (column) => [column, `item.${column}`] as const,
  ),
  ...USER_GROUP_FIELDS.map(({ column, type }) => [column, `item.${column}::${type}`] as const),
  ...INSERTED,
];

const INSERT: Statement = {
  name: "user_groups_insert",
  rows: "text",
  access: "write",
  ...recordedGroups(
    "created",
    // A subquery draws the IDs: they have the order of the items. Rows are inserted in the order of their external IDs to avoid deadlocks
    // between concurrent calls.
    `INSERT INTO user_group (account_id, environment, ${INSERTED_VALUES.map(([column]) => column).join(", ")})
    SELECT $1, $2, ${INSERTED_VALUES.map(([, value]) => value).join(", ")}
    FROM (SELECT nextval('user_group_team_id') AS id, new.* FROM ${rowsOf("new", NEW_COLUMNS)}) AS item
    ORDER BY item.provided_id COLLATE "C"
    ON CONFLICT (account_id, environment, provided_id) DO NOTHING
    RETURNING *`,
  ),
};

/** Inserts the groups whose external IDs do not exist. @returns the inserted groups */
export async function insertUserGroups(
  db: TenantDb,
  groups: readonly NewUserGroupRow[],
): Promise<UserGroup[]> {
  return queryUserGroups(db, INSERT, [
    groups.map(({ providedId }) => providedId),
    groups.map(({ token }) => token.keyId),
    groups.map(({ token }) => token.ciphertext),
    groups.map(({ token }) => token.lookup),
    groups.map(({ isMapped }) => isMapped),
    ...USER_GROUP_FIELDS.map(({ property }) => groups.map((group) => group[property])),
  ]);
}

/** Changes of a group's row; absent fields are not changed. */
export interface RowChanges extends Partial<UserGroupFields> {
  /** Absent if the entries of the mapping have not changed. */
  readonly remapped?: Remapped | undefined;
}

export interface UpdatedUserGroup {
  readonly userGroup: UserGroup;
  /** False when there was no difference, so that nothing was written. */
  readonly changed: boolean;
}

/** The columns of `RowChanges`. */
const CHANGE_COLUMNS: readonly TypedColumn[] = [
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

/** Whether the field of an item differs from the group's. Properties are compared as JSON values, so equal ones keep their text. */
const FIELDS_DIFFER = eachField(({ column, type }) => {
  const differs =
    type === "json" ? `user_group.${column}::jsonb IS DISTINCT FROM new_${column}::jsonb` : "true";
  return `new_${column},
          CASE WHEN NOT sets_${column} OR user_group.${column}::text IS NOT DISTINCT FROM new_${column} THEN false
            ELSE ${differs} END AS ${column}_differs`;
});

// Lock first: a comparison with the statement's snapshot would miss changes that were committed while it waited.
const lockAndCompare = (condition: string) => `SELECT user_group.*, former_mapping, is_mapped,
          former_mapping IS NOT NULL AS mapping_differs, ${FIELDS_DIFFER}
        FROM user_group, item WHERE account_id = $1 AND environment = $2 AND ${condition}
        FOR NO KEY UPDATE OF user_group`;

const FIND_DIFFERENCES = `SELECT *, ${eachField(({ column }) => `${column}_differs`, " OR ")} OR mapping_differs AS differs
        FROM compared`;

const UPDATE_DIFFERING = `UPDATE user_group SET ${eachField(
  ({ column, type }) =>
    `${column} = CASE WHEN ${column}_differs THEN new_${column}::${type} ELSE user_group.${column} END`,
)},
          mapping_version = user_group.mapping_version + CASE WHEN mapping_differs THEN 1 ELSE 0 END,
          ${UPDATED},
          version = user_group.version + 1, updated_at = now()
        FROM found
        WHERE user_group.account_id = $1 AND user_group.environment = $2 AND user_group.id = found.id AND differs
        RETURNING user_group.*, ${eachField(({ column }) => `${column}_differs`)}, mapping_differs`;

const CHANGED_FIELDS = `array_remove(ARRAY[${eachField(({ column, property }) => `CASE WHEN ${column}_differs THEN '${property}' END`)},
          CASE WHEN mapping_differs THEN 'mapping' END], NULL)`;

const FORMER_VALUES = `SELECT account_id, environment, id AS user_group_id, version, ${eachField(({ column }) => column)}, mapping_version,
          former_mapping::json AS mapping FROM found WHERE differs`;

/**
 * Builds a statement that updates the groups that differ from their items, incrementing their versions (decision 12a), and returns all
 * groups found, with whether they were changed.
 * @param items query of the changes: `CHANGE_COLUMNS` and columns of the condition
 * @param condition finds the group of an item in the environment
 */
function updateStatement(name: string, items: string, condition: string): Statement {
  return {
    name,
    rows: "text",
    access: "write",
    ...recordedChange(
      `item AS (${items}),
      compared AS (${lockAndCompare(condition)}),
      found AS (${FIND_DIFFERENCES}),
      updated AS (${UPDATE_DIFFERING})`,
      {
        action: "'user_group.updated'",
        changed: CHANGED_FIELDS,
        from: "FROM updated",
        history: FORMER_VALUES,
      },
      (further) => `SELECT ${userGroupColumns("updated")}, true${further} FROM updated
      UNION ALL SELECT ${userGroupColumns("found")}, false${further} FROM found WHERE NOT differs`,
    ),
  };
}

const UPDATE_BY_REF = statementsByRef((by) =>
  updateStatement(
    `user_group_update_by_${by}`,
    `SELECT ${CHANGE_COLUMNS.map(([name, type], index) => `$${index + 4}::${type} AS ${name}`).join(", ")}`,
    `${REF_CONDITIONS[by]} AND ${schemaIs(`$${CHANGE_COLUMNS.length + 4}`)}`,
  ),
);

// Groups are found by the join alone: with an additional `id = ANY ($3)`, the generic plan would compare every group with every item.
const UPDATE = updateStatement(
  "user_groups_update",
  `SELECT * FROM ${rowsOf("item", [["item_id", "bigint"], ...CHANGE_COLUMNS])}`,
  "id = item_id",
);

/**
 * Updates a group and increments its version if it differs; the row stays locked until the transaction ends. Absent fields are not changed.
 * @param schemaVersion the version of the schema under which the properties were checked; null if they need no check
 * @returns null when the group does not exist, or another schema is active
 */
export async function updateUserGroup(
  db: TenantDb,
  ref: StoredRef,
  changes: RowChanges,
  schemaVersion: number | null = null,
): Promise<UpdatedUserGroup | null> {
  const [row] = await db.run<UpdatedRow>(UPDATE_BY_REF[ref.by], [
    refValue(ref),
    ...valuesOfChanges(changes),
    schemaVersion,
  ]);
  return row ? readUpdated(db, row) : null;
}

/**
 * Updates groups that the transaction has locked and increments the versions of those that differ. Absent fields are not changed.
 * @returns all groups
 */
export async function updateUserGroups(
  transaction: TenantDb,
  changes: readonly (RowChanges & { readonly id: number })[],
): Promise<UpdatedUserGroup[]> {
  if (changes.length === 0) return [];
  const values = changes.map(valuesOfChanges);
  const rows = await transaction.run<UpdatedRow>(UPDATE, [
    changes.map(({ id }) => id),
    ...CHANGE_COLUMNS.map((_, index) => values.map((each) => each[index])),
  ]);
  return rows.map((row) => readUpdated(transaction, row));
}

/** Returns the values of `CHANGE_COLUMNS`. */
function valuesOfChanges(changes: RowChanges): unknown[] {
  const { remapped } = changes;
  const values: unknown[] = remapped
    ? [JSON.stringify([...remapped.former]), remapped.isMapped]
    : [null, null];
  for (const { property } of USER_GROUP_FIELDS)
    values.push(changes[property] !== undefined, changes[property] ?? null);
  return values;
}

/** A row of `updateStatement`: the group after the update, and `t` if it was changed, else `f`. */
type UpdatedRow = UserGroupRow<[changed: string]>;

function readUpdated(db: TenantDb, row: UpdatedRow): UpdatedUserGroup {
  const [changed] = valuesAfterGroup(row);
  return { userGroup: readUserGroup(db, row), changed: changed === "t" };
}

/** Returns the assignments that rotate a token. The placeholder $4 is the grace period in seconds. */
const setToken = (keyId: string, ciphertext: string, lookup: string) => `token_key_id = ${keyId},
      token_ciphertext = ${ciphertext}, token_lookup = ${lookup}, token_generation = token_generation + 1,
      previous_token_lookup = CASE WHEN $4::integer > 0 THEN token_lookup END,
      previous_token_expires_at = CASE WHEN $4::integer > 0 THEN now() + make_interval(secs => $4::integer) END,
      version = version + 1, updated_at = now()`;

const ROTATE_BY_REF = statementsByRef((by) => ({
  name: `user_group_rotate_by_${by}`,
  rows: "text",
  access: "write",
  ...recordedGroups(
    "token_rotated",
    `UPDATE user_group SET ${setToken("$5", "$6", "$7")}
    WHERE account_id = $1 AND environment = $2 AND ${REF_CONDITIONS[by]}
    RETURNING user_group.*`,
  ),
}));

const ROTATE: Statement = {
  name: "user_groups_rotate_locked",
  rows: "text",
  access: "write",
  ...recordedGroups(
    "token_rotated",
    `UPDATE user_group SET ${setToken("new_key_id", "new_ciphertext", "new_lookup")}
    FROM unnest($3::bigint[], $5::text[], $6::bytea[], $7::bytea[])
      AS item (item_id, new_key_id, new_ciphertext, new_lookup)
    WHERE account_id = $1 AND environment = $2 AND id = item_id
    RETURNING user_group.*`,
  ),
};

/**
 * Rotates the token of a group (decision 8).
 * @param token the new token
 * @param graceSeconds how long the current token can still be used to read; 0 invalidates it immediately
 * @returns null when the group does not exist
 */
export async function rotateUserGroupToken(
  db: TenantDb,
  ref: StoredRef,
  { keyId, ciphertext, lookup }: StoredToken,
  graceSeconds: number,
): Promise<UserGroup | null> {
  return queryUserGroup(db, ROTATE_BY_REF[ref.by], [refValue(ref), graceSeconds, keyId, ciphertext, lookup]);
}

/** Rotates the tokens of groups that the transaction has locked. @param graceSeconds as for one group */
export async function rotateLockedUserGroups(
  transaction: TenantDb,
  rotations: readonly { readonly id: number; readonly token: StoredToken }[],
  graceSeconds: number,
): Promise<UserGroup[]> {
  return queryUserGroups(transaction, ROTATE, [
    rotations.map(({ id }) => id),
    graceSeconds,
    rotations.map(({ token }) => token.keyId),
    rotations.map(({ token }) => token.ciphertext),
    rotations.map(({ token }) => token.lookup),
  ]);
}

const DELETE_BY_REF = statementsByRef((by) => ({
  name: `user_group_delete_by_${by}`,
  rows: "text",
  access: "write",
  ...recordedGroups(
    "deleted",
    `DELETE FROM user_group AS doomed
    WHERE account_id = $1 AND environment = $2 AND ${REF_CONDITIONS[by]}
      AND coalesce(provided_id = $4, true)
      AND ($5::text IS NULL OR EXISTS (
        SELECT FROM mapping_entry JOIN data_source USING (account_id, environment)
        WHERE account_id = $1 AND environment = $2
          AND mapping_entry.user_group_id = doomed.id AND data_source.id = mapping_entry.data_source_id
          AND data_source.provided_id = $5))
    RETURNING doomed.*`,
  ),
}));

const DELETE: Statement = {
  name: "user_groups_delete_locked",
  rows: "text",
  access: "write",
  ...recordedGroups(
    "deleted",
    `DELETE FROM user_group WHERE account_id = $1 AND environment = $2 AND id = ANY ($3::bigint[])
    RETURNING user_group.*`,
  ),
};

/** Deletes the group if the expected values match (decision 9). @returns null otherwise */
export async function deleteUserGroup(
  db: TenantDb,
  ref: StoredRef,
  expected: ExpectedValues,
): Promise<UserGroup | null> {
  const values = [refValue(ref), expected.providedId ?? null, expected.dataSourceProvidedId ?? null];
  return queryUserGroup(db, DELETE_BY_REF[ref.by], values);
}

/** Deletes groups that the transaction has locked. @returns the deleted groups */
export async function deleteLockedUserGroups(
  transaction: TenantDb,
  ids: readonly number[],
): Promise<UserGroup[]> {
  return queryUserGroups(transaction, DELETE, [ids]);
}

/** Updates the planner statistics of the tables that an import fills. */
export async function analyzeImported(db: Queryable): Promise<void> {
  await db.run({ access: "write", text: "SELECT analyze_imported()" }, []);
}
