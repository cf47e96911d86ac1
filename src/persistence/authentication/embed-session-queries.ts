import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import {
  REF_CONDITIONS,
  readUserGroup,
  refValue,
  type StoredRef,
  statementsByRef,
  type UserGroupRow,
  userGroupColumns,
  valuesAfterGroup,
} from "../user-groups/row.js";

// Raw SQL: authentication, and counting in the statement that finds the group.

const CREATE = statementsByRef(createStatement);

const BY_IDS: Statement = {
  name: "embed_session_groups",
  isLookup: true,
  rows: "text",
  access: "read",
  text: `SELECT ${userGroupColumns("user_group")}, token_generation, account.name, active.keys
    FROM user_group JOIN account ON account.id = account_id,
      (SELECT coalesce(json_agg(key.id), '[]') AS keys FROM api_key AS key
        WHERE key.account_id = $1 AND key.environment = $2 AND key.id = ANY ($4::bigint[])
          AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > now())) AS active
    WHERE account_id = $1 AND environment = $2 AND user_group.id = ANY ($3::bigint[])`,
};

/** The group of a new embed session. */
export interface EmbeddedGroup {
  readonly id: number;
  readonly generation: number;
  /** Null if the API key does not expire. */
  readonly keyExpiresAt: Date | null;
}

/** A group with the values that its embed sessions must match. */
export interface SessionGroup {
  readonly userGroup: UserGroup;
  readonly generation: number;
  readonly accountName: string;
}

/**
 * Finds the group for a new session and counts the session.
 * @param entry whether to write an audit entry, too, and the ID in it: that of a session of a template
 * @returns null if the group does not exist
 */
export async function recordEmbedSession(
  db: TenantDb,
  ref: StoredRef,
  keyId: number,
  { isAudited, sessionId }: { readonly isAudited: boolean; readonly sessionId?: string },
): Promise<EmbeddedGroup | null> {
  const [row] = await db.run<EmbeddedGroup>(CREATE[ref.by], [
    refValue(ref),
    keyId,
    isAudited,
    sessionId ?? null,
  ]);
  return row ?? null;
}

/** Finds the groups of embed sessions by internal ID, and the valid ones of the sessions' API keys, with one statement. */
export async function findSessionGroups(
  db: TenantDb,
  ids: readonly number[],
  keyIds: readonly number[],
): Promise<{ readonly groups: ReadonlyMap<number, SessionGroup>; readonly activeKeys: ReadonlySet<number> }> {
  const rows = await db.run<UserGroupRow<[generation: string, accountName: string, keys: string]>>(BY_IDS, [
    ids,
    keyIds,
  ]);
  const [first] = rows;
  const groups = rows.map((row) => {
    const [generation, accountName] = valuesAfterGroup(row);
    return { userGroup: readUserGroup(db, row), generation: Number(generation), accountName };
  });
  return {
    groups: new Map(groups.map((group) => [group.userGroup.id, group])),
    activeKeys: new Set(JSON.parse(first ? valuesAfterGroup(first)[2] : "[]")),
  };
}

function createStatement(by: StoredRef["by"]): Statement {
  return {
    name: `embed_session_create_by_${by}`,
    access: "write",
    // The lock, which the foreign key of the count would take anyway, finds no group that is being deleted.
    text: `WITH found AS (
        SELECT id, provided_id, token_generation FROM user_group
        WHERE account_id = $1 AND environment = $2 AND ${REF_CONDITIONS[by]} FOR KEY SHARE),
      counted AS (
        INSERT INTO embed_session_count (account_id, environment, user_group_id, day, api_key_id, count)
        SELECT $1, $2, id, (now() AT TIME ZONE 'UTC')::date, $4, 1 FROM found
        ON CONFLICT (account_id, environment, user_group_id, day, api_key_id) DO UPDATE SET count = embed_session_count.count + 1
        -- Without RETURNING, Citus would insert by COPY, which PostgreSQL refuses with row-level security.
        RETURNING 1),
      entry AS (
        INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_key_id, actor_name, request_id,
          session_id)
        SELECT $1, $2, 'user_group.embed_session_created', id, provided_id, '{}',
          (who ->> 'keyId')::bigint, coalesce(who ->> 'name', session_user::text), who ->> 'requestId', $6::text
        FROM found, (SELECT nullif(current_setting('app.audit_actor', true), '')::json AS who) AS actor
        WHERE $5::boolean
        RETURNING 1)
      SELECT id, token_generation AS generation,
        (SELECT expires_at FROM api_key WHERE account_id = $1 AND environment = $2 AND id = $4) AS "keyExpiresAt"
      FROM found`,
  };
}
