import type { ApiKey, ListedApiKey } from "../../domain/accounts/api-key.js";
import { BY_ID } from "../shared/keyset.js";
import type { TenantTable } from "../shared/select-page.js";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Statements: keyset pages and UPDATE … RETURNING; through TypeORM the room would have as many lines and statements.

const COLUMNS = `account_id AS "accountId", id, environment, scope, name, hint, created_at AS "createdAt",
  expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`;

/** API keys, also revoked and expired ones. */
export const API_KEYS: TenantTable<ApiKey, ApiKey> = {
  name: "api_key",
  columns: COLUMNS,
  toItem: (row) => row,
  keyset: BY_ID,
};

const REVOKE: Statement = {
  name: "api_key_revoke",
  access: "write",
  text: `UPDATE api_key SET revoked_at = coalesce(revoked_at, now())
    WHERE account_id = $1 AND environment = $2 AND id = $3 RETURNING ${COLUMNS}`,
};

/** Lists the keys of every account, or of the account with this name: oldest first. @param db the operator's */
export async function listAccountKeys(db: Queryable, accountName?: string): Promise<ListedApiKey[]> {
  const condition = accountName === undefined ? "" : "WHERE account.name = $1";
  const text = `SELECT account.name AS "accountName", key.*
    FROM account JOIN LATERAL (SELECT ${COLUMNS} FROM api_key WHERE account_id = account.id) AS key ON true
    ${condition} ORDER BY key.id`;
  return db.run<ListedApiKey>({ access: "read", text }, accountName === undefined ? [] : [accountName]);
}

/** Revokes one of the tenant's keys; one that is revoked already stays as it is. @returns null when there is no such key */
export async function revokeApiKey(db: TenantDb, id: number): Promise<ApiKey | null> {
  const [revoked = null] = await db.run<ApiKey>(REVOKE, [id]);
  return revoked;
}
