import type { Environment } from "../../domain/accounts/environment.js";
import { readFromIndex } from "../shared/purge-queries.js";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Statements: batches in the order of an index.

/** A webhook endpoint that is hidden, and still there. */
export interface DeletedEndpoint {
  readonly accountId: number;
  readonly environment: Environment;
  readonly endpointId: number;
  /** For how long, in seconds. */
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

// Not while it has deliveries: a cascade would remove them all at once.
const DELETE_ENDPOINT: Statement = {
  name: "webhook_endpoint_remove",
  access: "write",
  text: `DELETE FROM webhook_endpoint
    WHERE account_id = $1 AND environment = $2 AND id = $3 AND deleted_at IS NOT NULL AND NOT EXISTS (
      SELECT FROM webhook_delivery WHERE account_id = $1 AND environment = $2 AND endpoint_id = $3)`,
};

/** The endpoints of all accounts that are deleted, longest ago first. */
export async function findDeletedEndpoints(operator: Queryable, limit: number): Promise<DeletedEndpoint[]> {
  return operator.run<DeletedEndpoint>(FIND, [limit]);
}

/** @returns how many deliveries were removed, at most `limit` */
export async function removeDeliveries(
  transaction: TenantDb,
  { endpointId }: DeletedEndpoint,
  limit: number,
): Promise<number> {
  const values = [endpointId, limit];
  await readFromIndex(transaction.raw);
  const [gone] = await transaction.run<{ count: number }>(DELETE_DELIVERIES, values);
  return gone?.count ?? 0;
}

/** Removes a deleted endpoint that has no deliveries left. */
export async function removeEndpoint(db: TenantDb, { endpointId }: DeletedEndpoint): Promise<void> {
  await db.run(DELETE_ENDPOINT, [endpointId]);
}
