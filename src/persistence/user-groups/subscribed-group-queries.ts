import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { readBytes, readTime } from "../shared/value-parsers.js";
import { AT, readUserGroup, type UserGroupRow, userGroupColumns, valuesAfterGroup } from "./row.js";

// Raw SQL: groups and API keys from one snapshot.

// One row per existing group, or a single row without a group, so that the keys are always returned.
const SUBSCRIBED_GROUPS: Statement = {
  name: "subscribed_user_groups",
  rows: "text",
  access: "read",
  text: `SELECT ${userGroupColumns("user_group")}, active.keys,
      CASE WHEN previous_token_expires_at > now() THEN previous_token_lookup END, previous_token_expires_at, token_generation
    FROM (SELECT coalesce(json_agg(json_build_array(key.id, (extract(epoch FROM key.expires_at) * 1000)::bigint)), '[]') AS keys
        FROM api_key AS key WHERE key.account_id = $1 AND key.environment = $2 AND key.id = ANY ($4::bigint[])
          AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > now())) AS active
      LEFT JOIN user_group ON account_id = $1 AND environment = $2 AND user_group.id = ANY ($3::bigint[])`,
};

/** A group with the tokens that subscribers are authorized by. */
export interface SubscribedGroup {
  readonly userGroup: UserGroup;
  /** Lookup hash of its token. */
  readonly tokenLookup: Buffer;
  /** Incremented by each rotation. */
  readonly tokenGeneration: number;
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

type Row = UserGroupRow<
  [keys: string, previousLookup: string | null, previousExpiresAt: string | null, tokenGeneration: string]
>;
type KeyExpiry = readonly [id: number, expiresAtMs: number | null];

/** Loads groups, and the valid ones of the API keys, with one statement. */
export async function findSubscribedGroups(
  db: TenantDb,
  ids: readonly number[],
  keyIds: readonly number[],
): Promise<SubscribedGroups> {
  const rows = await db.run<Row>(SUBSCRIBED_GROUPS, [ids, keyIds]);
  const [first] = rows;
  const keys: KeyExpiry[] = first ? JSON.parse(valuesAfterGroup(first)[0]) : [];
  const groups = rows.filter(([id]) => id !== null).map((row) => toSubscribedGroup(db, row));
  return {
    groups: new Map(groups.map((group) => [group.userGroup.id, group])),
    activeKeys: new Map(keys.map(([id, at]) => [id, at === null ? null : new Date(at)])),
  };
}

function toSubscribedGroup(db: TenantDb, row: Row): SubscribedGroup {
  const [, lookup, expiresAt, generation] = valuesAfterGroup(row);
  return {
    userGroup: readUserGroup(db, row),
    tokenLookup: readBytes(row[AT.tokenLookup]),
    tokenGeneration: Number(generation),
    previousToken:
      lookup === null || expiresAt === null
        ? null
        : { lookup: readBytes(lookup), expiresAt: readTime(expiresAt) },
  };
}
