import { type EntityManager, IsNull } from "typeorm";
import {
  API_KEY_ORDER,
  type ApiKey,
  type ApiKeyFilter,
  type ApiKeySortField,
  type ListedApiKey,
} from "../../domain/accounts/api-key.js";
import type { Scope, TenantKey } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import { recorded } from "../shared/audit-recording.js";
import { escapeLike } from "../shared/keyset.js";
import { defineList } from "../shared/select-page.js";
import type { Queryable, Statement } from "../shared/statement.js";
import { tableOf } from "../shared/table.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { ApiKeyEntity } from "./entities.js";

// Raw SQL: every request runs the lookup, and the others take arrays of keys.

const BY_HASH: Statement = {
  name: "api_key_by_hash",
  isLookup: true,
  access: "read",
  text: `SELECT api_key.id AS "keyId", api_key.name AS "keyName", api_key.environment, api_key.scope, account.id AS "accountId",
      account.name AS "accountName", account.token_key_id AS "tokenKeyId", api_key.expires_at AS "expiresAt"
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

/**
 * Records when keys of an account were last used; never replaces a later time. Requires the operator scope.
 * @param uses by key: Unix times in milliseconds
 */
export async function touchApiKeys(
  db: Queryable,
  accountId: number,
  uses: ReadonlyMap<number, number>,
): Promise<void> {
  await db.run(TOUCH, [accountId, [...uses.keys()], [...uses.values()].map((at) => new Date(at))]);
}

// Raw SQL: keyset pages and UPDATE … RETURNING; TypeORM would save neither lines nor statements.

const API_KEYS = tableOf(ApiKeyEntity, ["hash", "sessionsValidFrom"]);
const COLUMNS = API_KEYS.columns;

/** API keys, including revoked and expired ones. */
export const API_KEY_LIST = defineList<ApiKey, ApiKey, ApiKeyFilter, ApiKeySortField>({
  table: API_KEYS,
  order: API_KEY_ORDER,
  toItem: (row) => row,
  conditions: ({ scopes, isActive, nameContains }, values) => [
    scopes && `scope::text = ANY (${values.add(scopes)}::text[])`,
    isActive !== undefined &&
      `(revoked_at IS NULL AND coalesce(expires_at > now(), true)) = ${values.add(isActive)}::boolean`,
    nameContains !== undefined && `name ILIKE ${values.add(`%${escapeLike(nameContains)}%`)}`,
  ],
});

const REVOKE: Statement = {
  name: "api_key_revoke",
  access: "write",
  // Prior values are read by a lock, which waits for a concurrent revocation.
  ...recorded(
    `UPDATE api_key SET revoked_at = coalesce(revoked_at, changed_at) FROM former
    WHERE account_id = $1 AND environment = $2 AND id = $3 RETURNING api_key.*, was_active`,
    { action: "'api_key.revoked'", subjectName: "name", from: "FROM changed WHERE was_active" },
    COLUMNS,
    `former AS (SELECT revoked_at IS NULL AS was_active, now() AS changed_at FROM api_key
      WHERE account_id = $1 AND environment = $2 AND id = $3 FOR NO KEY UPDATE),`,
  ),
};

const INSERT: Statement = {
  name: "api_key_insert",
  access: "write",
  ...recorded(
    `INSERT INTO api_key (account_id, environment, scope, name, hash, hint, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING *`,
    { action: "'api_key.created'", subjectName: "name" },
    COLUMNS,
  ),
};

// Not by a trigger, which Citus would run on a worker; listeners are connected to the coordinator.
const NOTIFY: Statement = {
  name: "api_key_revoked_notify",
  access: "write",
  text: "SELECT pg_notify('api_key_revoked', $1)",
};

/** Lists the keys of all accounts, or of the named one, oldest first. @param db must have the operator scope */
export async function listAccountKeys(db: Queryable, accountName?: string): Promise<ListedApiKey[]> {
  const condition = accountName === undefined ? "" : "WHERE account.name = $1";
  const text = `SELECT account.name AS "accountName", key.*
    FROM account JOIN (SELECT ${COLUMNS} FROM api_key) AS key ON key."accountId" = account.id
    ${condition} ORDER BY key.id`;
  return db.run<ListedApiKey>({ access: "read", text }, accountName === undefined ? [] : [accountName]);
}

/** Revokes one of the tenant's keys and notifies all processes; has no effect on a revoked one. @returns null when the key does not exist */
export async function revokeApiKey(db: TenantDb, id: number): Promise<ApiKey | null> {
  return db.transaction(async (transaction) => {
    const [revoked = null] = await transaction.run<ApiKey>(REVOKE, [id]);
    // In the transaction that revokes: every process gets it before the notification of any change that is committed later.
    if (revoked) await transaction.raw.run(NOTIFY, [String(id)]);
    return revoked;
  });
}

/** Finds the tenant of an active key by ID alone; requires the operator scope. */
export async function findTenantOfKey(operator: EntityManager, id: number): Promise<TenantKey | null> {
  const select = { accountId: true, environment: true } as const;
  return operator.findOne(ApiKeyEntity, { select, where: { id, revokedAt: IsNull() } });
}

/** Inserts an API key. @param hash of the secret */
export async function insertApiKey(
  db: TenantDb,
  {
    scope,
    name,
    hash,
    hint,
    expiresAt,
  }: Pick<ApiKey, "scope" | "name" | "hint" | "expiresAt"> & { readonly hash: Buffer },
): Promise<ApiKey> {
  const [created] = await db.run<ApiKey>(INSERT, [scope, name, hash, hint, expiresAt]);
  if (!created) throw new Error("PostgreSQL did not return the new API key.");
  return created;
}
