import type { ApiKey, ListedApiKey } from "../../domain/accounts/api-key.js";
import type { Page, PageRequest } from "../../domain/shared/page.js";
import { countList, selectByIds, selectPage, tenantList } from "../shared/select-page.js";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { type ApiKeyEntity, toApiKey } from "./api-key-entity.js";

const COLUMNS = `account_id AS "accountId", id, environment, scope, name, hint, created_at AS "createdAt",
  expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`;

type ApiKeyRow = Omit<ApiKeyEntity, "hash">;
const TABLE = { name: "api_key", idType: "integer" } as const;
const ITEM = { columns: COLUMNS, toItem: toApiKey };

const REVOKE: Statement = {
  name: "api_key_revoke",
  access: "write",
  text: `UPDATE api_key SET revoked_at = coalesce(revoked_at, now())
    WHERE account_id = $1 AND environment = $2 AND id = $3 RETURNING ${COLUMNS}`,
};

/** A page of the tenant's API keys, revoked and expired ones among them, by id. */
export async function listApiKeys(db: TenantDb, page: PageRequest): Promise<Page<ApiKey>> {
  const keyset = { column: "id", type: "integer", idColumn: "id", direction: "ascending" } as const;
  return selectPage(db, tenantList(TABLE.name), ITEM, keyset, page);
}

export async function countApiKeys(db: TenantDb): Promise<number> {
  return countList(db, tenantList(TABLE.name));
}

/** Lists the keys of every account, or of the account with this name: oldest first. @param db the operator's */
export async function listAccountKeys(db: Queryable, accountName?: string): Promise<ListedApiKey[]> {
  const condition = accountName === undefined ? "" : "WHERE account.name = $1";
  const text = `SELECT account.name AS "accountName", key.*
    FROM account JOIN LATERAL (SELECT ${COLUMNS} FROM api_key WHERE account_id = account.id) AS key ON true
    ${condition} ORDER BY key.id`;
  const values = accountName === undefined ? [] : [accountName];
  const rows = await db.run<ApiKeyRow & { readonly accountName: string }>({ access: "read", text }, values);
  return rows.map((row) => ({ ...toApiKey(row), accountName: row.accountName }));
}

/** The tenant's API keys that have these ids, in no order. */
export async function findApiKeysByIds(db: TenantDb, ids: readonly number[]): Promise<ApiKey[]> {
  return selectByIds(db, TABLE, ITEM, ids);
}

/** Ends one of the tenant's keys; one that has ended already stays as it is. @returns null when there is no such key */
export async function revokeApiKey(db: TenantDb, id: number): Promise<ApiKey | null> {
  const rows = await db.run<ApiKeyRow>(REVOKE, [id]);
  return rows[0] ? toApiKey(rows[0]) : null;
}
