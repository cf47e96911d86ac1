import { changeRows, tenantRows } from "../shared/purge-queries.js";
import type { Queryable } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: batches by ctid, as the owner role.

/**
 * Tables with rows of tenants, in the order of deletion: endpoints before groups, whose deletion would create deliveries, mapping entries,
 * history, imported tokens and counts of embed sessions before groups, whose deletion would cascade, and audit entries after everything whose
 * deletion is recorded.
 */
export const TENANT_TABLES = [
  "webhook_delivery",
  "webhook_endpoint",
  "mapping_entry",
  "user_group_history",
  "brought_token",
  "embed_session_count",
  "request_count",
  "usage_day",
  "user_group",
  "data_source",
  "site_config_revision",
  "site_config",
  "idempotent_request",
  "audit_entry",
  "api_key",
];

/** Deletes up to `limit` of the tenant's rows. @returns the number of rows */
export async function deleteTenantRows(transaction: TenantDb, table: string, limit: number): Promise<number> {
  const tenant = tenantRows(table);
  const removal = `DELETE FROM ${table} WHERE ${tenant} AND ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE ${tenant} LIMIT ${Number(limit)}))`;
  return changeRows(transaction, `delete_${table}`, removal);
}

/** Counts the tenant's rows by table. */
export async function countTenantRows(db: TenantDb): Promise<ReadonlyMap<string, number>> {
  const counts = TENANT_TABLES.map(
    (table) => `(SELECT count(*) FROM ${table} WHERE ${tenantRows(table)}) AS ${table}`,
  );
  const text = `SELECT ${counts.join(", ")}`;
  const [row] = await db.run<Record<string, number>>(
    { label: "tenant_rows_count", access: "read", text },
    [],
  );
  return new Map(Object.entries(row ?? {}));
}

/** Revokes the tenant's API keys, which other processes notice immediately. */
export async function revokeAllKeys(transaction: TenantDb): Promise<void> {
  const text = `UPDATE api_key SET revoked_at = now() WHERE ${tenantRows("api_key")} AND revoked_at IS NULL`;
  await transaction.run({ label: "api_keys_revoke_all", access: "write", text }, []);
}

/** Deletes the account's row. @throws the driver's error while the account has other rows */
export async function deleteAccountRow(account: Queryable, accountId: number): Promise<void> {
  const text = "DELETE FROM account WHERE id = $1";
  await account.run({ label: "account_delete", access: "write", text }, [accountId]);
}

/** Returns whether the connection's role may delete accounts, as the owner role may. */
export async function mayDeleteAccounts(db: Queryable): Promise<boolean> {
  const text = "SELECT has_table_privilege('account', 'DELETE') AS allowed";
  const [row] = await db.run<{ allowed: boolean }>({ access: "read", text }, []);
  return row?.allowed ?? false;
}
