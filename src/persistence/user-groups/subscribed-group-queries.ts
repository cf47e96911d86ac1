import type { TenantKey } from "../../domain/accounts/caller.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { PACKED_USER_GROUP, readUserGroup } from "./row.js";

// Raw SQL: groups and API keys from one snapshot.

// One row per existing group, or a single row without a group, so that the keys are always returned.
const SUBSCRIBED_GROUPS: Statement = {
  name: "subscribed_user_groups",
  access: "read",
  text: `SELECT active.keys, user_group.id, CASE WHEN user_group.id IS NOT NULL THEN ${PACKED_USER_GROUP} END AS packed,
      token_lookup AS "tokenLookup", previous_token_lookup AS "previousLookup",
      previous_token_expires_at AS "previousExpiresAt", previous_token_expires_at > now() AS "isInGrace"
    FROM (SELECT coalesce(json_agg(json_build_array(key.id, (extract(epoch FROM key.expires_at) * 1000)::bigint)), '[]') AS keys
        FROM api_key AS key WHERE key.account_id = $1 AND key.environment = $2 AND key.id = ANY ($4::integer[])
          AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > now())) AS active
      LEFT JOIN user_group ON account_id = $1 AND environment = $2 AND user_group.id = ANY ($3::integer[])`,
};

/** A group with the tokens that subscribers are authorized by. */
export interface SubscribedGroup {
  readonly userGroup: UserGroup;
  /** Lookup hash of its token. */
  readonly tokenLookup: Buffer;
  /** The previous token during its grace period. */
  readonly previousToken: { readonly lookup: Buffer; readonly expiresAt: Date } | null;
}

/** Snapshot of groups with subscribers and of the subscribers' API keys. */
export interface SubscribedGroups {
  /** Existing groups by ID. */
  readonly groups: ReadonlyMap<number, SubscribedGroup>;
  /** Valid keys with their expiry; null if they do not expire. */
  readonly activeKeys: ReadonlyMap<number, Date | null>;
}

interface Row {
  readonly keys: readonly (readonly [id: number, expiresAtMs: number | null])[];
  readonly id: number | null;
  readonly packed: string;
  readonly tokenLookup: Buffer;
  readonly previousLookup: Buffer | null;
  readonly previousExpiresAt: Date | null;
  readonly isInGrace: boolean | null;
}

/** Loads groups, and the valid ones of the API keys, with one statement. */
export async function findSubscribedGroups(
  db: TenantDb,
  ids: readonly number[],
  keyIds: readonly number[],
): Promise<SubscribedGroups> {
  const rows = await db.run<Row>(SUBSCRIBED_GROUPS, [ids, keyIds]);
  const keys = rows[0]?.keys ?? [];
  return {
    groups: new Map(rows.flatMap((row) => (row.id === null ? [] : [[row.id, toSubscribedGroup(db, row)]]))),
    activeKeys: new Map(keys.map(([id, at]) => [id, at === null ? null : new Date(at)])),
  };
}

function toSubscribedGroup(tenant: TenantKey, row: Row): SubscribedGroup {
  const { packed, tokenLookup, previousLookup: lookup, previousExpiresAt: expiresAt, isInGrace } = row;
  return {
    userGroup: readUserGroup(tenant, packed),
    tokenLookup,
    previousToken: isInGrace === true && lookup && expiresAt ? { lookup, expiresAt } : null,
  };
}
