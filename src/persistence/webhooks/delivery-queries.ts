import { escapeLiteral } from "pg";
import { WEBHOOK_DELIVERY_ORDER, type WebhookDeliveryFilter } from "../../domain/webhooks/list.js";
import type { WebhookDelivery } from "../../domain/webhooks/webhook.js";
import { defineList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import { TENANT_COLUMNS, tableOf } from "../shared/table.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { WebhookDeliveryEntity } from "./delivery-entity.js";

// Raw SQL: the plans of keyset pages depend on how the conditions are written, and TypeORM would parse the payload.

/**
 * Excludes the deliveries of deleted endpoints, which wait for the purge. The subquery runs once per statement, not per row. `coalesce`
 * only affects the planner: without it, PostgreSQL expects no row where a single endpoint has all deliveries, and sorts the whole table.
 */
const IS_SHOWN = `coalesce(endpoint_id <> ALL (ARRAY(
  SELECT id FROM webhook_endpoint WHERE account_id = $1 AND environment = $2 AND deleted_at IS NOT NULL)), true)`;

export const WEBHOOK_DELIVERIES = tableOf(WebhookDeliveryEntity, [...TENANT_COLUMNS, "subject", "queuedAt"]);

export const WEBHOOK_DELIVERY_LIST = defineList({
  table: WEBHOOK_DELIVERIES,
  order: WEBHOOK_DELIVERY_ORDER,
  toItem: (row): WebhookDelivery => row,
  condition: IS_SHOWN,
  conditions: ({ endpointId, state }: WebhookDeliveryFilter, values) => [
    // Compares with null for a deleted endpoint: `IS_SHOWN` alone would read all of its deliveries.
    endpointId !== undefined &&
      `endpoint_id = (SELECT id FROM webhook_endpoint
        WHERE account_id = $1 AND environment = $2 AND id = ${values.add(endpointId)} AND deleted_at IS NULL)`,
    // A literal, so that the partial index of the state is used.
    state && `state = ${escapeLiteral(state)}`,
  ],
});

const COUNT_PENDING: Statement = {
  name: "webhook_deliveries_pending_count",
  access: "read",
  text: `SELECT endpoint.id AS "endpointId", pending.count::integer AS count FROM unnest($3::bigint[]) AS endpoint (id)
    CROSS JOIN LATERAL (
      SELECT count(*) AS count FROM (
        SELECT FROM webhook_delivery
        WHERE account_id = $1 AND environment = $2 AND endpoint_id = endpoint.id AND state = 'pending' LIMIT 1000
      ) AS counted
    ) AS pending`,
};

const REPLAY: Statement = {
  name: "webhook_delivery_replay",
  access: "write",
  text: `UPDATE webhook_delivery SET state = 'pending', attempts = 0, next_attempt_at = now(), delivered_at = NULL,
      queued_at = now()
    WHERE account_id = $1 AND environment = $2 AND id = $3 AND state <> 'pending' AND ${IS_SHOWN}
    RETURNING ${WEBHOOK_DELIVERIES.columns}`,
};

/** Counts the pending deliveries of each endpoint, up to 1000. Every endpoint is in the result. */
export async function countPendingDeliveries(
  db: TenantDb,
  endpointIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const values = [endpointIds];
  const rows = await db.run<{ endpointId: number; count: number }>(COUNT_PENDING, values);
  return new Map(rows.map(({ endpointId, count }) => [endpointId, count]));
}

/** Queues a delivery again. @returns null when it does not exist or is still pending */
export async function replayDelivery(db: TenantDb, id: number): Promise<WebhookDelivery | null> {
  const [delivery = null] = await db.run<WebhookDelivery>(REPLAY, [id]);
  return delivery;
}
