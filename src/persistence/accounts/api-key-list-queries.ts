import type { ApiKey, ListedApiKey } from "../../domain/accounts/api-key.js";
import { BY_ID } from "../shared/keyset.js";
import type { TenantTable } from "../shared/select-page.js";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: keyset pages and UPDATE … RETURNING; TypeORM would save neither lines nor statements.

const COLUMNS = `account_id AS "accountId", id, environment, scope, name, hint, created_at AS "createdAt",
  expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`;

/** API keys, including revoked and expired ones. */
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

/** Lists the keys of all accounts, or of the named one, oldest first. @param db must have the operator scope */
export async function listAccountKeys(db: Queryable, accountName?: string): Promise<ListedApiKey[]> {
  const condition = accountName === undefined ? "" : "WHERE account.name = $1";
  const text = `SELECT account.name AS "accountName", key.*
    FROM account JOIN LATERAL (SELECT ${COLUMNS} FROM api_key WHERE account_id = account.id) AS key ON true
    ${condition} ORDER BY key.id`;
  return db.run<ListedApiKey>({ access: "read", text }, accountName === undefined ? [] : [accountName]);
}

/** Revokes one of the tenant's keys; has no effect on a revoked one. @returns null when the key does not exist */
export async function revokeApiKey(db: TenantDb, id: number): Promise<ApiKey | null> {
  const [revoked = null] = await db.run<ApiKey>(REVOKE, [id]);
  return revoked;
}
