import { escapeLiteral } from "pg";
import type { Page, PageRequest } from "../../domain/shared/page.js";
import type { WebhookDelivery, WebhookDeliveryFilter } from "../../domain/webhooks/webhook.js";
import { countList, type ListQuery, selectByIds, selectPage, tenantList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { toWebhookDelivery, WEBHOOK_DELIVERY_COLUMNS, type WebhookDeliveryRow } from "./delivery-entity.js";

const TABLE = { name: "webhook_delivery", idType: "bigint" } as const;
const ITEM = { columns: WEBHOOK_DELIVERY_COLUMNS, toItem: toWebhookDelivery };

/**
 * Excludes the deliveries of endpoints that are deleted: they wait for the purge. Asked once for a statement, not for each row. Without
 * `coalesce`, which is never needed for its value, PostgreSQL expects no row at all where a single endpoint has all deliveries, and
 * sorts the whole table.
 */
const IS_SHOWN = `coalesce(endpoint_id <> ALL (ARRAY(
  SELECT id FROM webhook_endpoint WHERE account_id = $1 AND environment = $2 AND deleted_at IS NOT NULL)), true)`;

const COUNT_PENDING: Statement = {
  name: "webhook_deliveries_pending_count",
  access: "read",
  text: `SELECT endpoint.id AS "endpointId", pending.count::integer AS count FROM unnest($3::integer[]) AS endpoint (id)
    CROSS JOIN LATERAL (
      SELECT count(*) AS count FROM (
        SELECT FROM webhook_delivery
        WHERE account_id = $1 AND environment = $2 AND endpoint_id = endpoint.id AND state = 'pending' LIMIT 1000
      ) AS counted
    ) AS pending`,
};

/** Deliveries that are sent no more, of all accounts. */
export const OVER_DELIVERIES = {
  table: "webhook_delivery",
  column: "created_at",
  condition: "state <> 'pending'",
} as const;

/** Deliveries that wait, of all accounts; those that have waited too long are given up. */
export const PENDING_DELIVERIES = {
  table: "webhook_delivery",
  column: "queued_at",
  condition: "state = 'pending'",
  assignments: "state = 'dead', last_error = 'The delivery expired: it could not be made in time.'",
} as const;

const REPLAY: Statement = {
  name: "webhook_delivery_replay",
  access: "write",
  text: `UPDATE webhook_delivery SET state = 'pending', attempts = 0, next_attempt_at = now(), delivered_at = NULL,
      queued_at = now()
    WHERE account_id = $1 AND environment = $2 AND id = $3 AND state <> 'pending' AND ${IS_SHOWN}
    RETURNING ${WEBHOOK_DELIVERY_COLUMNS}`,
};

/** A page of the tenant's deliveries, newest first. */
export async function listWebhookDeliveries(
  db: TenantDb,
  filter: WebhookDeliveryFilter,
  page: PageRequest,
): Promise<Page<WebhookDelivery>> {
  const keyset = { column: "id", type: "bigint", idColumn: "id", direction: "descending" } as const;
  return selectPage(db, listQuery(filter), ITEM, keyset, page);
}

export async function countWebhookDeliveries(db: TenantDb, filter: WebhookDeliveryFilter): Promise<number> {
  return countList(db, listQuery(filter));
}

/** How many deliveries to each endpoint are pending, a thousand at most; one with none has no key in the result. */
export async function countPendingDeliveries(
  db: TenantDb,
  endpointIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const values = [endpointIds];
  const rows = await db.run<{ endpointId: number; count: number }>(COUNT_PENDING, values);
  return new Map(rows.map(({ endpointId, count }) => [endpointId, count]));
}

/** The tenant's deliveries that have these ids, in no order. */
export async function findWebhookDeliveriesByIds(
  db: TenantDb,
  ids: readonly number[],
): Promise<WebhookDelivery[]> {
  return selectByIds(db, TABLE, ITEM, ids, [IS_SHOWN]);
}

/** Has a delivery made once more. @returns null when there is none, or it is still on its way */
export async function replayDelivery(db: TenantDb, id: number): Promise<WebhookDelivery | null> {
  const [row] = await db.run<WebhookDeliveryRow>(REPLAY, [id]);
  return row ? toWebhookDelivery(row) : null;
}

function listQuery({ endpointId, state }: WebhookDeliveryFilter): ListQuery {
  const list = tenantList(TABLE.name);
  const { values } = list;
  const conditions = [
    ...list.conditions,
    IS_SHOWN,
    ...(endpointId === undefined ? [] : [`endpoint_id = ${values.add(endpointId)}`]),
    // A constant, for the indexes of single states.
    ...(state === undefined ? [] : [`state = ${escapeLiteral(state)}`]),
  ];
  return { ...list, conditions };
}
