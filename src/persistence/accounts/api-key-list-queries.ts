import type { ApiKey, ListedApiKey } from "../../domain/accounts/api-key.js";
import { type ApiKeyFilter, type ApiKeySortField, NEVER_USED } from "../../domain/accounts/api-key-list.js";
import type { SortOrder } from "../../domain/shared/pagination.js";
import { BY_ID, escapeLike, keysetOf, type SortColumns } from "../shared/keyset.js";
import { type ListQuery, type TenantTable, tenantList } from "../shared/select-page.js";
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

const SORT_COLUMNS: SortColumns<ApiKeySortField> = {
  createdAt: { column: "created_at", type: "timestamptz", idColumn: "id" },
  lastUsedAt: {
    column: "last_used_at",
    expression: `coalesce(api_key.last_used_at, '${NEVER_USED}')`,
    type: "timestamptz",
    idColumn: "id",
  },
  name: { column: "name", expression: 'api_key.name COLLATE "C"', type: "text", idColumn: "id" },
};

const REVOKE: Statement = {
  name: "api_key_revoke",
  access: "write",
  text: `UPDATE api_key SET revoked_at = coalesce(revoked_at, now())
    WHERE account_id = $1 AND environment = $2 AND id = $3 RETURNING ${COLUMNS}`,
};

/** API keys in a sort order. */
export function apiKeysBy(order: SortOrder<ApiKeySortField>): TenantTable<ApiKey, ApiKey> {
  return { ...API_KEYS, keyset: keysetOf(SORT_COLUMNS, order) };
}

/** Returns the list of API keys that match a filter. */
export function apiKeyList({ scopes, isActive, nameContains }: ApiKeyFilter): ListQuery {
  return tenantList(API_KEYS, (values) => [
    scopes && `scope::text = ANY (${values.add(scopes)}::text[])`,
    isActive !== undefined &&
      `(revoked_at IS NULL AND coalesce(expires_at > now(), true)) = ${values.add(isActive)}::boolean`,
    nameContains !== undefined && `name ILIKE ${values.add(`%${escapeLike(nameContains)}%`)}`,
  ]);
}

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
