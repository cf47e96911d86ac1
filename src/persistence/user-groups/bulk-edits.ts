import type { StoredToken } from "../../domain/accounts/token-vault.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { recordedGroups } from "./recorded-writes.js";
import { queryUserGroups, USER_GROUP_COLUMNS } from "./row.js";
import { type StoredRef, setToken } from "./writes.js";

// Raw SQL: set-based.

// Locked in the order of external IDs, like all other calls that lock several groups, to avoid deadlocks.
const LOCK: Statement = {
  name: "user_groups_lock_by_refs",
  rows: "text",
  access: "write",
  text: `SELECT ${USER_GROUP_COLUMNS} FROM user_group
    WHERE account_id = $1 AND environment = $2
      AND (id = ANY ($3::bigint[]) OR provided_id = ANY ($4::text[]) OR token_lookup = ANY ($5::bytea[]))
    ORDER BY provided_id FOR UPDATE`,
};

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

/** Loads groups by reference and locks them until the transaction ends. */
export async function lockReferencedUserGroups(
  transaction: TenantDb,
  refs: readonly StoredRef[],
): Promise<UserGroup[]> {
  return queryUserGroups(transaction, LOCK, [
    refs.flatMap((ref) => (ref.by === "id" ? [ref.id] : [])),
    refs.flatMap((ref) => (ref.by === "providedId" ? [ref.providedId] : [])),
    refs.flatMap((ref) => (ref.by === "token" ? ref.lookups : [])),
  ]);
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
