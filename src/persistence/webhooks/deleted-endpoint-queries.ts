import { changeRows, type PurgeQueries, tenantRows } from "../shared/purge-queries.js";

// Raw SQL: batches of deliveries, before the endpoint itself.

const TENANT = tenantRows("text");
const ENDPOINT = `FROM webhook_endpoint WHERE ${TENANT} AND deleted_at IS NOT NULL`;
const DELIVERIES = `FROM webhook_delivery WHERE ${TENANT} AND endpoint_id IN (SELECT id ${ENDPOINT})`;

/** The queries that remove soft-deleted webhook endpoints with their deliveries. */
export const DELETED_ENDPOINTS: PurgeQueries = {
  overdueSeconds: `(SELECT extract(epoch FROM now() - min(deleted_at))::double precision ${ENDPOINT})`,
  count: `((SELECT count(*) ${DELIVERIES}) + (SELECT count(*) ${ENDPOINT}))`,
  async removeBatch(transaction, limit) {
    const deliveries = await changeRows(
      transaction,
      "purge_deliveries_of_deleted_endpoints",
      `DELETE FROM webhook_delivery WHERE ${TENANT} AND ctid = ANY (ARRAY(
        SELECT ctid ${DELIVERIES} LIMIT ${Number(limit)} FOR UPDATE SKIP LOCKED))`,
    );
    if (deliveries === limit) return { rows: deliveries, isLast: false };
    // Only without deliveries: a cascade would delete them all in one statement.
    const endpoints = await changeRows(
      transaction,
      "purge_deleted_endpoints",
      `DELETE ${ENDPOINT} AND NOT EXISTS (
        SELECT FROM webhook_delivery AS delivery
        WHERE delivery.account_id = $1 AND delivery.environment = $2::text AND endpoint_id = webhook_endpoint.id)`,
    );
    return { rows: deliveries + endpoints, isLast: true };
  },
};
