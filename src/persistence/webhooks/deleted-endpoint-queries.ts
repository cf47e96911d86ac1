import type { Environment } from "../../domain/accounts/environment.js";
import { readFromIndex } from "../shared/purge-queries.js";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: batches in index order.

/** A soft-deleted webhook endpoint. */
export interface DeletedEndpoint {
  readonly accountId: number;
  readonly environment: Environment;
  readonly endpointId: number;
  /** Seconds since the deletion. */
  readonly age: number;
}

const FIND: Statement = {
  name: "webhook_endpoints_deleted",
  access: "read",
  text: `SELECT account_id AS "accountId", environment, id AS "endpointId",
      extract(epoch FROM now() - deleted_at)::double precision AS age
    FROM webhook_endpoint WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT $1`,
};

const DELETE_DELIVERIES: Statement = {
  name: "webhook_deliveries_of_deleted",
  access: "write",
  text: `WITH gone AS (
      DELETE FROM webhook_delivery WHERE account_id = $1 AND environment = $2 AND id = ANY (ARRAY(
        SELECT id FROM webhook_delivery WHERE account_id = $1 AND environment = $2 AND endpoint_id = $3
        ORDER BY id LIMIT $4))
      RETURNING 1)
    SELECT count(*)::integer AS count FROM gone`,
};

// Only without deliveries: a cascade would delete them all in one statement.
const DELETE_ENDPOINT: Statement = {
  name: "webhook_endpoint_remove",
  access: "write",
  text: `DELETE FROM webhook_endpoint
    WHERE account_id = $1 AND environment = $2 AND id = $3 AND deleted_at IS NOT NULL AND NOT EXISTS (
      SELECT FROM webhook_delivery WHERE account_id = $1 AND environment = $2 AND endpoint_id = $3)`,
};

/** Finds soft-deleted endpoints of all accounts, oldest deletion first. */
export async function findDeletedEndpoints(operator: Queryable, limit: number): Promise<DeletedEndpoint[]> {
  return operator.run<DeletedEndpoint>(FIND, [limit]);
}

/** Deletes up to `limit` deliveries. @returns the number of deleted deliveries */
export async function removeDeliveries(
  transaction: TenantDb,
  { endpointId }: DeletedEndpoint,
  limit: number,
): Promise<number> {
  const values = [endpointId, limit];
  await readFromIndex(transaction.raw);
  const [deleted] = await transaction.run<{ count: number }>(DELETE_DELIVERIES, values);
  return deleted?.count ?? 0;
}

/** Deletes the row of a soft-deleted endpoint without deliveries. */
export async function removeEndpoint(db: TenantDb, { endpointId }: DeletedEndpoint): Promise<void> {
  await db.run(DELETE_ENDPOINT, [endpointId]);
}
