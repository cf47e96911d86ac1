import type { StoredToken } from "../../domain/accounts/token-vault.js";
import type { ExpectedValues, UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import {
  CHANGE_COLUMNS,
  type RowChanges,
  recordedGroups,
  type UpdatedRow,
  updateStatement,
  valuesOfChanges,
} from "./recorded-writes.js";
import { readUserGroup, USER_GROUP_COLUMNS, type UserGroupRow, valuesAfterGroup } from "./row.js";

// Raw SQL: hot and conditional.

/** A reference to a group, with the lookup hashes of a token instead of the token. */
export type StoredRef =
  | Exclude<UserGroupRef, { by: "token" }>
  | { readonly by: "token"; readonly lookups: readonly Buffer[] };

/** SQL condition by kind of reference. */
export const REF_CONDITIONS: Readonly<Record<StoredRef["by"], string>> = {
  id: "id = $3",
  providedId: "provided_id = $3",
  token: "token_lookup = ANY ($3::bytea[])",
};

const UPDATES = statementsByRef(updateOne);
const LOCKS = statementsByRef(lockStatement);
const ROTATIONS = statementsByRef(rotateStatement);
const DELETIONS = statementsByRef(deleteStatement);

/** Builds a statement for each kind of reference. */
export function statementsByRef(
  build: (by: StoredRef["by"]) => Statement,
): Readonly<Record<StoredRef["by"], Statement>> {
  return { id: build("id"), providedId: build("providedId"), token: build("token") };
}

function rotateStatement(by: StoredRef["by"]): Statement {
  return {
    name: `user_group_rotate_by_${by}`,
    rows: "text",
    access: "write",
    ...recordedGroups(
      "token_rotated",
      `UPDATE user_group SET ${setToken("$5", "$6", "$7")}
      WHERE account_id = $1 AND environment = $2 AND ${REF_CONDITIONS[by]}
      RETURNING user_group.*`,
      USER_GROUP_COLUMNS,
    ),
  };
}

function deleteStatement(by: StoredRef["by"]): Statement {
  return {
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
      USER_GROUP_COLUMNS,
    ),
  };
}

export interface UpdatedUserGroup {
  readonly userGroup: UserGroup;
  /** False when there was no difference, so that nothing was written. */
  readonly changed: boolean;
}

/**
 * Updates a group and increments its version if it differs; the row stays locked until the transaction ends. Absent fields are not changed.
 * @returns null when the group does not exist
 */
export async function updateUserGroup(
  db: TenantDb,
  ref: StoredRef,
  changes: RowChanges,
): Promise<UpdatedUserGroup | null> {
  const [row] = await db.run<UpdatedRow>(UPDATES[ref.by], [refValue(ref), ...valuesOfChanges(changes)]);
  return row ? readUpdated(db, row) : null;
}

export function readUpdated(db: TenantDb, row: UpdatedRow): UpdatedUserGroup {
  const [changed] = valuesAfterGroup(row);
  return { userGroup: readUserGroup(db, row), changed: changed === "t" };
}

/** Loads a group and locks it until the transaction ends. */
export async function lockUserGroup(transaction: TenantDb, ref: StoredRef): Promise<UserGroup | null> {
  return one(transaction, LOCKS[ref.by], [refValue(ref)]);
}

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
  return one(db, ROTATIONS[ref.by], [refValue(ref), graceSeconds, keyId, ciphertext, lookup]);
}

/** Deletes the group if the expected values match (decision 9). @returns null otherwise */
export async function deleteUserGroup(
  db: TenantDb,
  ref: StoredRef,
  expected: ExpectedValues,
): Promise<UserGroup | null> {
  return one(db, DELETIONS[ref.by], [
    refValue(ref),
    expected.providedId ?? null,
    expected.dataSourceProvidedId ?? null,
  ]);
}

/** Returns the assignments that rotate a token. The placeholder $4 is the grace period in seconds. */
export function setToken(keyId: string, ciphertext: string, lookup: string): string {
  return `token_key_id = ${keyId}, token_ciphertext = ${ciphertext}, token_lookup = ${lookup},
      token_generation = token_generation + 1,
      previous_token_lookup = CASE WHEN $4::integer > 0 THEN token_lookup END,
      previous_token_expires_at = CASE WHEN $4::integer > 0 THEN now() + make_interval(secs => $4::integer) END,
      version = version + 1, updated_at = now()`;
}

function updateOne(by: StoredRef["by"]): Statement {
  return updateStatement(
    `user_group_update_by_${by}`,
    `SELECT ${CHANGE_COLUMNS.map(([name, type], index) => `$${index + 4}::${type} AS ${name}`).join(", ")}`,
    REF_CONDITIONS[by],
  );
}

function lockStatement(by: StoredRef["by"]): Statement {
  return {
    name: `user_group_lock_by_${by}`,
    rows: "text",
    access: "write",
    text: `SELECT ${USER_GROUP_COLUMNS} FROM user_group
      WHERE account_id = $1 AND environment = $2 AND ${REF_CONDITIONS[by]} FOR NO KEY UPDATE`,
  };
}

/** Returns the value of the condition's placeholder. */
export function refValue(ref: StoredRef): number | string | readonly Buffer[] {
  if (ref.by === "id") return ref.id;
  if (ref.by === "providedId") return ref.providedId;
  return ref.lookups;
}

async function one(
  db: TenantDb,
  statement: Statement,
  values: readonly unknown[],
): Promise<UserGroup | null> {
  const [row] = await db.run<UserGroupRow>(statement, values);
  return row ? readUserGroup(db, row) : null;
}
