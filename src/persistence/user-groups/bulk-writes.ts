import type { StoredToken } from "../../domain/accounts/token-vault.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { recordedGroups } from "./recorded-writes.js";
import { queryUserGroups, USER_GROUP_COLUMNS } from "./row.js";
import { type UpdatedRow, updateStatement } from "./update-statement.js";
import {
  type NewUserGroupRow,
  type RowChanges,
  readUpdated,
  setToken,
  type UpdatedUserGroup,
} from "./writes.js";

// Raw SQL: set-based and hot.

// Groups are locked and inserted in the order of their external IDs to avoid deadlocks between concurrent calls.

const LOCK: Statement = {
  name: "user_groups_lock",
  rows: "text",
  access: "write",
  text: `SELECT ${USER_GROUP_COLUMNS} FROM user_group
    WHERE account_id = $1 AND environment = $2 AND provided_id = ANY ($3::text[])
    ORDER BY provided_id FOR NO KEY UPDATE`,
};

const INSERT = insertStatement("user_groups_insert", USER_GROUP_COLUMNS);
const INSERT_RETURNING_IDS = insertStatement("user_groups_insert_for_ids", "id");

function insertStatement(name: string, returned: string): Statement {
  return {
    name,
    rows: "text",
    access: "write",
    ...recordedGroups(
      "created",
      `INSERT INTO user_group (account_id, environment, id, provided_id, name, properties,
        token_key_id, token_ciphertext, token_lookup)
      SELECT $1, $2, item.id, item.provided_id, item.name, item.properties::json,
        item.token_key_id, item.token_ciphertext, item.token_lookup
      FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9::bytea[])
        AS item (id, provided_id, name, properties, token_key_id, token_ciphertext, token_lookup)
      ORDER BY item.provided_id COLLATE "C"
      ON CONFLICT (account_id, environment, provided_id) DO NOTHING
      RETURNING *`,
      returned,
    ),
  };
}

/**
 * The placeholders $3 to $7 are the changes. Groups are found by the join alone: with an additional `id = ANY ($3)`, the generic plan would
 * compare every group with every item.
 */
const CHANGES = {
  tables: `item AS (
      SELECT * FROM unnest($3::bigint[], $4::text[], $5::boolean[], $6::text[], $7::boolean[])
        AS item (item_id, item_name, sets_properties, item_properties, changes_mapping)),`,
  from: "user_group, item",
  condition: "id = item_id",
  name: "item_name",
  setsProperties: "sets_properties",
  properties: "item_properties",
  changesMapping: "changes_mapping",
};

const UPDATE = updateStatement("user_groups_update", CHANGES);

// SKIP LOCKED: the updates of other groups in the batch must not wait for a locked one.
const UPDATE_UNLOCKED = updateStatement("user_groups_update_free", {
  ...CHANGES,
  lock: "FOR NO KEY UPDATE OF user_group SKIP LOCKED",
});

const ROTATE: Statement = {
  name: "user_groups_rotate",
  rows: "text",
  access: "write",
  ...recordedGroups(
    "token_rotated",
    `WITH item AS (
      SELECT * FROM unnest($3::bytea[], $5::text[], $6::bytea[], $7::bytea[])
        AS item (old_lookup, new_key_id, new_ciphertext, new_lookup)),
    found AS (
      SELECT id AS found_id, token_lookup AS found_lookup FROM user_group
      WHERE account_id = $1 AND environment = $2 AND token_lookup = ANY ($3::bytea[])
      FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE user_group SET ${setToken("new_key_id", "new_ciphertext", "new_lookup")}
    FROM item JOIN found ON found_lookup = old_lookup
    WHERE account_id = $1 AND environment = $2 AND id = found_id
    RETURNING user_group.*`,
    USER_GROUP_COLUMNS,
  ),
};

export interface TokenRotation {
  /** Lookup hashes of the current token, one per encryption key. */
  readonly currentLookups: readonly Buffer[];
  readonly token: StoredToken;
}

export interface RowChange extends RowChanges {
  readonly id: number;
}

/** Loads groups by external ID and locks them until the transaction ends. */
export async function lockUserGroups(
  transaction: TenantDb,
  providedIds: readonly string[],
): Promise<UserGroup[]> {
  return queryUserGroups(transaction, LOCK, [providedIds]);
}

/** Inserts the groups whose external IDs do not exist. @returns the inserted groups */
export async function insertUserGroups(
  transaction: TenantDb,
  groups: readonly NewUserGroupRow[],
): Promise<UserGroup[]> {
  return queryUserGroups(transaction, INSERT, insertValues(groups));
}

/** Like `insertUserGroups`, but does not return the rows, which saves time. @returns the number of inserted groups */
export async function insertManyUserGroups(
  transaction: TenantDb,
  groups: readonly NewUserGroupRow[],
): Promise<number> {
  if (groups.length === 0) return 0;
  return (await transaction.run(INSERT_RETURNING_IDS, insertValues(groups))).length;
}

/**
 * Rotates the tokens of groups (decision 8), except those locked by other transactions.
 * @param graceSeconds how long the current tokens can still be used to read; 0 invalidates them immediately
 * @returns the groups with new tokens
 */
export async function rotateUserGroupTokens(
  db: TenantDb,
  rotations: readonly TokenRotation[],
  graceSeconds: number,
): Promise<UserGroup[]> {
  const items = rotations.flatMap(({ currentLookups, token }) =>
    currentLookups.map((current) => ({ current, token })),
  );
  return queryUserGroups(db, ROTATE, [
    items.map(({ current }) => current),
    graceSeconds,
    items.map(({ token }) => token.keyId),
    items.map(({ token }) => token.ciphertext),
    items.map(({ token }) => token.lookup),
  ]);
}

function insertValues(groups: readonly NewUserGroupRow[]): readonly unknown[] {
  return [
    groups.map(({ id }) => id),
    groups.map(({ providedId }) => providedId),
    groups.map(({ name }) => name),
    groups.map(({ properties }) => properties),
    groups.map(({ token }) => token.keyId),
    groups.map(({ token }) => token.ciphertext),
    groups.map(({ token }) => token.lookup),
  ];
}

/**
 * Updates groups that the transaction has locked and increments the versions of those that differ. Absent fields are not changed.
 * @returns all groups
 */
export async function updateUserGroups(
  transaction: TenantDb,
  changes: readonly RowChange[],
): Promise<UpdatedUserGroup[]> {
  return update(transaction, UPDATE, changes);
}

/** Like `updateUserGroups`, but skips groups locked by other transactions. @param changes at most one per group */
export async function updateUnlockedUserGroups(
  db: TenantDb,
  changes: readonly RowChange[],
): Promise<UpdatedUserGroup[]> {
  return update(db, UPDATE_UNLOCKED, changes);
}

async function update(
  db: TenantDb,
  statement: Statement,
  changes: readonly RowChange[],
): Promise<UpdatedUserGroup[]> {
  if (changes.length === 0) return [];
  const rows = await db.run<UpdatedRow>(statement, [
    changes.map(({ id }) => id),
    changes.map(({ name }) => name ?? null),
    changes.map(({ properties }) => properties !== undefined),
    changes.map(({ properties }) => properties ?? null),
    changes.map(({ mappingChanged }) => mappingChanged === true),
  ]);
  return rows.map((row) => readUpdated(db, row));
}
