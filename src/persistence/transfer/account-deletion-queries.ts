import { IsNull } from "typeorm";
import { ApiKeyEntity } from "../accounts/entities.js";
import { changeRows, tenantRows } from "../shared/purge-queries.js";
import type { Queryable } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: batches by ctid, of tables of which some have no entity, and a privilege.

/**
 * Tables with rows of tenants, in the order of deletion: deliveries before endpoints, and mapping entries, history, imported tokens and counts
 * of embed sessions before groups, whose deletion would cascade.
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
  "session_template",
  "template_signing_key",
  "bulk_change",
  "property_schema",
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
  const manager = transaction.manager("write", "api_keys_revoke_all");
  const active = { ...transaction.key, revokedAt: IsNull() };
  await manager.update(ApiKeyEntity, active, { revokedAt: () => "now()" });
}

/** Returns whether the connection's role may delete accounts, as the owner role may. */
export async function mayDeleteAccounts(db: Queryable): Promise<boolean> {
  const text = "SELECT has_table_privilege('account', 'DELETE') AS allowed";
  const [row] = await db.run<{ allowed: boolean }>({ access: "read", text }, []);
  return row?.allowed ?? false;
}
