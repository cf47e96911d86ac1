import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { readBytes } from "../shared/value-parsers.js";
import {
  queryUserGroups,
  readUserGroup,
  USER_GROUP_COLUMNS,
  type UserGroupRow,
  valuesAfterGroup,
} from "./row.js";

// Raw SQL: the hottest path.

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
