import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { readBytes } from "../shared/value-parsers.js";
import {
  PACKED_USER_GROUP,
  type PackedListRow,
  type PackedRow,
  packList,
  readUserGroup,
  readUserGroups,
} from "./row.js";

// Raw SQL: the hottest path.

const BY_IDS = statement("user_groups_by_ids", "id = ANY ($3::integer[])");
const BY_PROVIDED_IDS = statement("user_groups_by_provided_ids", "provided_id = ANY ($3::text[])");
const BY_TOKENS: Statement = {
  name: "user_groups_by_tokens",
  isLookup: true,
  rows: "text",
  access: "read",
  text: `SELECT token_lookup, true, ${PACKED_USER_GROUP} FROM user_group
      WHERE account_id = $1 AND environment = $2 AND token_lookup = ANY ($3::bytea[])
    UNION ALL
    SELECT previous_token_lookup, false, ${PACKED_USER_GROUP} FROM user_group
      WHERE account_id = $1 AND environment = $2 AND previous_token_lookup = ANY ($3::bytea[])
        AND previous_token_expires_at > now()`,
};

/** Finds the tenant's groups by internal ID, in no particular order. */
export async function findUserGroupsByIds(db: TenantDb, ids: readonly number[]): Promise<UserGroup[]> {
  const [row] = await db.run<PackedListRow>(BY_IDS, [ids]);
  return readUserGroups(db, row?.[0]);
}

/** Finds the tenant's groups by external ID, in no particular order. */
export async function findUserGroupsByProvidedIds(
  db: TenantDb,
  providedIds: readonly string[],
): Promise<UserGroup[]> {
  const [row] = await db.run<PackedListRow>(BY_PROVIDED_IDS, [providedIds]);
  return readUserGroups(db, row?.[0]);
}

/** A group found by a token's lookup hash. `current` is false for a previous token in its grace period. */
export interface TokenMatch {
  readonly lookup: Buffer;
  readonly current: boolean;
  readonly group: UserGroup;
}

/** Finds the tenant's groups by the lookup hashes of their current tokens or previous ones in the grace period. */
export async function findUserGroupsByTokens(
  db: TenantDb,
  lookups: readonly Buffer[],
): Promise<TokenMatch[]> {
  const rows = await db.run<readonly [lookup: string, current: "t" | "f", ...PackedRow]>(BY_TOKENS, [
    lookups,
  ]);
  return rows.map(([lookup, current, text]) => ({
    lookup: readBytes(lookup),
    current: current === "t",
    group: readUserGroup(db, text),
  }));
}

function statement(name: string, condition: string): Statement {
  return {
    name,
    isLookup: true,
    rows: "text",
    access: "read",
    text: `SELECT ${packList(PACKED_USER_GROUP)} FROM user_group
      WHERE account_id = $1 AND environment = $2 AND ${condition}`,
  };
}
