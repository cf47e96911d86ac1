import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { readBytes } from "../shared/value-parsers.js";
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
  valuesAfterGroup,
} from "./row.js";

// Raw SQL: the hottest path, and locks.

const BY_IDS = statement("user_groups_by_ids", "id = ANY ($3::bigint[])");
const BY_PROVIDED_IDS = statement("user_groups_by_provided_ids", "provided_id = ANY ($3::text[])");
const BY_TOKENS: Statement = {
  name: "user_groups_by_tokens",
  isLookup: true,
  rows: "text",
  access: "read",
  text: `SELECT ${USER_GROUP_COLUMNS}, token_lookup, true FROM user_group
      WHERE account_id = $1 AND environment = $2 AND token_lookup = ANY ($3::bytea[])
    UNION ALL
    SELECT ${USER_GROUP_COLUMNS}, previous_token_lookup, false FROM user_group
      WHERE account_id = $1 AND environment = $2 AND previous_token_lookup = ANY ($3::bytea[])
        AND previous_token_expires_at > now()`,
};

/** Finds the tenant's groups by internal ID, in no particular order. */
export async function findUserGroupsByIds(db: TenantDb, ids: readonly number[]): Promise<UserGroup[]> {
  return queryUserGroups(db, BY_IDS, [ids]);
}

/** Finds the tenant's groups by external ID, in no particular order. */
export async function findUserGroupsByProvidedIds(
  db: TenantDb,
  providedIds: readonly string[],
): Promise<UserGroup[]> {
  return queryUserGroups(db, BY_PROVIDED_IDS, [providedIds]);
}

/** A group found by a token's lookup hash. `current` is false for a previous token in its grace period. */
export interface TokenMatch {
  readonly lookup: Buffer;
  readonly current: boolean;
  readonly group: UserGroup;
}

type TokenRow = UserGroupRow<[lookup: string, current: "t" | "f"]>;

/** Finds the tenant's groups by the lookup hashes of their current tokens or previous ones in the grace period. */
export async function findUserGroupsByTokens(
  db: TenantDb,
  lookups: readonly Buffer[],
): Promise<TokenMatch[]> {
  const rows = await db.run<TokenRow>(BY_TOKENS, [lookups]);
  return rows.map((row) => {
    const [lookup, current] = valuesAfterGroup(row);
    return { lookup: readBytes(lookup), current: current === "t", group: readUserGroup(db, row) };
  });
}

function statement(name: string, condition: string): Statement {
  return {
    name,
    isLookup: true,
    rows: "text",
    access: "read",
    text: `SELECT ${USER_GROUP_COLUMNS} FROM user_group
      WHERE account_id = $1 AND environment = $2 AND ${condition}`,
  };
}

const LOCK_BY_REF = statementsByRef((by) => ({
  name: `user_group_lock_by_${by}`,
  rows: "text",
  access: "write",
  text: `SELECT ${USER_GROUP_COLUMNS} FROM user_group
      WHERE account_id = $1 AND environment = $2 AND ${REF_CONDITIONS[by]} FOR NO KEY UPDATE`,
}));

// Groups are locked in the order of their external IDs to avoid deadlocks between concurrent calls.
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

/** Loads a group and locks it until the transaction ends. */
export async function lockUserGroup(transaction: TenantDb, ref: StoredRef): Promise<UserGroup | null> {
  return queryUserGroup(transaction, LOCK_BY_REF[ref.by], [refValue(ref)]);
}

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

/**
 * Returns how many bytes the properties of groups have together, without loading them.
 * @param groups references, or external IDs
 */
export async function countPropertiesBytes(
  transaction: TenantDb,
  groups: { readonly refs: readonly StoredRef[] } | { readonly providedIds: readonly string[] },
): Promise<number> {
  const [statement, values] =
    "refs" in groups ? [BYTES_REFERENCED, valuesOfRefs(groups.refs)] : [BYTES, [groups.providedIds]];
  const [row] = await transaction.run<{ bytes: number }>(statement, values);
  return row?.bytes ?? 0;
}

function valuesOfRefs(refs: readonly StoredRef[]): unknown[] {
  return [
    refs.flatMap((ref) => (ref.by === "id" ? [ref.id] : [])),
    refs.flatMap((ref) => (ref.by === "providedId" ? [ref.providedId] : [])),
    refs.flatMap((ref) => (ref.by === "token" ? ref.lookups : [])),
  ];
}
