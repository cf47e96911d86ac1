import type { Scope } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { Queryable, Statement } from "../shared/statement.js";

// Raw SQL: every request runs the lookup, and the others take arrays of keys.

const BY_HASH: Statement = {
  name: "api_key_by_hash",
  isLookup: true,
  access: "read",
  text: `SELECT api_key.id AS "keyId", api_key.name AS "keyName", api_key.environment, api_key.scope, account.id AS "accountId",
      account.name AS "accountName", account.token_key_id AS "tokenKeyId", api_key.expires_at AS "expiresAt",
      api_key.sessions_valid_from AS "sessionsValidFrom"
    FROM api_key JOIN account ON account.id = api_key.account_id
    WHERE api_key.account_id = $1 AND api_key.hash = $2
      AND api_key.revoked_at IS NULL AND (api_key.expires_at IS NULL OR api_key.expires_at > now())`,
};

const TOUCH: Statement = {
  name: "api_keys_touch",
  access: "write",
  text: `UPDATE api_key SET last_used_at = used.at
    FROM unnest($2::bigint[], $3::timestamptz[]) AS used (id, at)
    WHERE api_key.account_id = $1 AND api_key.id = used.id
      AND (api_key.last_used_at IS NULL OR api_key.last_used_at < used.at)`,
};

const ACTIVE: Statement = {
  name: "api_keys_active",
  access: "read",
  text: `SELECT api_key.id FROM api_key
    JOIN unnest($1::integer[], $2::bigint[]) AS asked (account_id, id)
      ON api_key.account_id = asked.account_id AND api_key.id = asked.id
    WHERE api_key.revoked_at IS NULL AND (api_key.expires_at IS NULL OR api_key.expires_at > now())`,
};

/** A valid API key with its account. */
export interface ActiveKey {
  readonly keyId: number;
  readonly keyName: string;
  readonly environment: Environment;
  readonly scope: Scope;
  readonly accountId: number;
  readonly accountName: string;
  readonly tokenKeyId: string;
  /** Null if the key does not expire. */
  readonly expiresAt: Date | null;
  /** Console sessions from before this time are signed out; null if none were. */
  readonly sessionsValidFrom: Date | null;
}

/** Finds a key by hash; null when it is unknown, revoked or expired. */
export async function findActiveKey(
  db: Queryable,
  accountId: number,
  hash: Buffer,
): Promise<ActiveKey | null> {
  const rows = await db.run<ActiveKey>(BY_HASH, [accountId, hash]);
  return rows[0] ?? null;
}

/** Returns the IDs of the keys that are still valid. */
export async function findActiveKeyIds(
  db: Queryable,
  keys: readonly { readonly accountId: number; readonly keyId: number }[],
): Promise<ReadonlySet<number>> {
  const rows = await db.run<{ id: number }>(ACTIVE, [
    keys.map(({ accountId }) => accountId),
    keys.map(({ keyId }) => keyId),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Records when keys of an account were last used; never replaces a later time. Requires the operator scope. */
export async function touchApiKeys(
  db: Queryable,
  accountId: number,
  uses: readonly { readonly keyId: number; readonly at: number }[],
): Promise<void> {
  await db.run(TOUCH, [accountId, uses.map((use) => use.keyId), uses.map((use) => new Date(use.at))]);
}
