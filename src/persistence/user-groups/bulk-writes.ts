import type { StoredToken } from "../../domain/accounts/token-vault.js";
import type { UserGroup, UserGroupFields } from "../../domain/user-groups/user-group.js";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { eachField, USER_GROUP_FIELDS } from "../shared/user-group-fields.js";
import { INSERTED } from "./derived-columns.js";
import {
  CHANGE_COLUMNS,
  type RowChanges,
  recordedGroups,
  type UpdatedRow,
  updateStatement,
  valuesOfChanges,
} from "./recorded-writes.js";
import { queryUserGroups, USER_GROUP_COLUMNS } from "./row.js";
import { readUpdated, type StoredRef, setToken, type UpdatedUserGroup } from "./writes.js";

// Raw SQL: set-based.

// Groups are locked and inserted in the order of their external IDs to avoid deadlocks between concurrent calls.

const LOCK: Statement = {
  name: "user_groups_lock",
  rows: "text",
  access: "write",
  text: `SELECT ${USER_GROUP_COLUMNS} FROM user_group
    WHERE account_id = $1 AND environment = $2 AND provided_id = ANY ($3::text[])
    ORDER BY provided_id FOR NO KEY UPDATE`,
};

const IS_REFERENCED = `account_id = $1 AND environment = $2
      AND (id = ANY ($3::bigint[]) OR provided_id = ANY ($4::text[]) OR token_lookup = ANY ($5::bytea[]))`;

const LOCK_REFERENCED: Statement = {
  name: "user_groups_lock_by_refs",
  rows: "text",
  access: "write",
  text: `SELECT ${USER_GROUP_COLUMNS} FROM user_group WHERE ${IS_REFERENCED} ORDER BY provided_id FOR UPDATE`,
};

const bytesOf = (name: string, condition: string): Statement => ({
  name,
  access: "write",
  text: `SELECT coalesce(sum(octet_length(properties::text)), 0)::integer AS bytes FROM user_group WHERE ${condition}`,
});
const BYTES_REFERENCED = bytesOf("user_groups_bytes_by_refs", IS_REFERENCED);
const BYTES = bytesOf(
  "user_groups_bytes",
  "account_id = $1 AND environment = $2 AND provided_id = ANY ($3::text[])",
);

export interface NewUserGroupRow extends UserGroupFields {
  readonly providedId: string;
  readonly token: StoredToken;
  /** Whether the transaction adds entries to the mapping. */
  readonly isMapped: boolean;
}

const INSERT: Statement = {
  name: "user_groups_insert",
  rows: "text",
  access: "write",
  ...recordedGroups(
    "created",
    // A subquery draws the IDs: they have the order of the items.
    `INSERT INTO user_group (account_id, environment, id, provided_id, token_key_id, token_ciphertext, token_lookup,
      ${eachField(({ column }) => column)}, ${INSERTED.map(([column]) => column).join(", ")})
    SELECT $1, $2, item.id, item.provided_id, item.token_key_id, item.token_ciphertext, item.token_lookup,
      ${eachField(({ column, type }) => `item.${column}::${type}`)}, ${INSERTED.map(([, value]) => value).join(", ")}
    FROM (SELECT nextval('user_group_team_id') AS id, new.*
      FROM unnest($3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::boolean[],
        ${eachField((_, index) => `$${index + 8}::text[]`)})
        AS new (provided_id, token_key_id, token_ciphertext, token_lookup, is_mapped, ${eachField(({ column }) => column)})) AS item
    ORDER BY item.provided_id COLLATE "C"
    ON CONFLICT (account_id, environment, provided_id) DO NOTHING
    RETURNING *`,
    USER_GROUP_COLUMNS,
  ),
};

// Groups are found by the join alone: with an additional `id = ANY ($3)`, the generic plan would compare every group with every item.
const UPDATE = updateStatement(
  "user_groups_update",
  `SELECT * FROM unnest($3::bigint[], ${CHANGE_COLUMNS.map(([, type], index) => `$${index + 4}::${type}[]`).join(", ")})
        AS item (item_id, ${CHANGE_COLUMNS.map(([name]) => name).join(", ")})`,
  "id = item_id",
);

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
    USER_GROUP_COLUMNS,
  ),
};

const DELETE: Statement = {
  name: "user_groups_delete_locked",
  rows: "text",
  access: "write",
  ...recordedGroups(
    "deleted",
    `DELETE FROM user_group WHERE account_id = $1 AND environment = $2 AND id = ANY ($3::bigint[])
    RETURNING user_group.*`,
    USER_GROUP_COLUMNS,
  ),
};

/** Loads groups by external ID and locks them until the transaction ends. */
export async function lockUserGroups(
  transaction: TenantDb,
  providedIds: readonly string[],
): Promise<UserGroup[]> {
  return queryUserGroups(transaction, LOCK, [providedIds]);
}

/** Loads groups by reference and locks them until the transaction ends. */
export async function lockReferencedUserGroups(
  transaction: TenantDb,
  refs: readonly StoredRef[],
): Promise<UserGroup[]> {
  return queryUserGroups(transaction, LOCK_REFERENCED, valuesOfRefs(refs));
}

/**
 * Returns how many bytes the properties of groups have together, without loading them.
 * @param groups references, or external IDs
 */
export async function countPropertiesBytes(
  transaction: TenantDb,
  groups: { readonly refs: readonly StoredRef[] } | { readonly providedIds: readonly string[] },
): Promise<number> {
  const [row] = await ("refs" in groups
    ? transaction.run<{ bytes: number }>(BYTES_REFERENCED, valuesOfRefs(groups.refs))
    : transaction.run<{ bytes: number }>(BYTES, [groups.providedIds]));
  return row?.bytes ?? 0;
}

function valuesOfRefs(refs: readonly StoredRef[]): unknown[] {
  return [
    refs.flatMap((ref) => (ref.by === "id" ? [ref.id] : [])),
    refs.flatMap((ref) => (ref.by === "providedId" ? [ref.providedId] : [])),
    refs.flatMap((ref) => (ref.by === "token" ? ref.lookups : [])),
  ];
}

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

/** Updates the planner statistics of the tables that an import fills. */
export async function analyzeImported(db: Queryable): Promise<void> {
  await db.run({ access: "write", text: "SELECT analyze_imported()" }, []);
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

/**
 * Rotates the tokens of groups that the transaction has locked.
 * @param graceSeconds how long the current tokens can still be used to read; 0 invalidates them immediately
 */
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

/** Deletes groups that the transaction has locked. @returns the deleted groups */
export async function deleteLockedUserGroups(
  transaction: TenantDb,
  ids: readonly number[],
): Promise<UserGroup[]> {
  return queryUserGroups(transaction, DELETE, [ids]);
}
