import { escapeLiteral } from "pg";
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import {
  type TEST_EVENT,
  WEBHOOK_DELIVERY_ORDER,
  WEBHOOK_DELIVERY_STATES,
  type WebhookDelivery,
  type WebhookDeliveryFilter,
  type WebhookDeliveryState,
  type WebhookEvent,
} from "../../domain/webhooks/webhook.js";
import { defineList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import {
  AccountKey,
  OptionalTime,
  SequenceKey,
  TENANT_COLUMNS,
  TimeOfWriting,
  tableOf,
} from "../shared/table.js";
import type { TenantDb, TenantTransaction } from "../shared/tenant-db.js";
import { WebhookEndpointEntity } from "./endpoints.js";

const PENDING = { where: "(state = 'pending'::webhook_delivery_state)" };
const COMPLETED = { where: "(state <> 'pending'::webhook_delivery_state)" };
const DELIVERED = { where: "(state = 'delivered'::webhook_delivery_state)" };
const FAILED = { where: "(last_error IS NOT NULL)" };
const DEAD = { where: "(state = 'dead'::webhook_delivery_state)" };

@Entity("webhook_delivery")
@Index("webhook_delivery_due_ix", ["accountId", "environment", "endpointId", "nextAttemptAt", "id"], PENDING)
@Index("webhook_delivery_order_ix", ["accountId", "environment", "endpointId", "subject", "id"], PENDING)
@Index("webhook_delivery_endpoint_ix", ["accountId", "environment", "endpointId", "id"])
@Index("webhook_delivery_endpoint_pending_ix", ["accountId", "environment", "endpointId", "id"], PENDING)
@Index("webhook_delivery_endpoint_delivered_ix", ["accountId", "environment", "endpointId", "id"], DELIVERED)
@Index("webhook_delivery_endpoint_dead_ix", ["accountId", "environment", "endpointId", "id"], DEAD)
@Index("webhook_delivery_endpoint_failed_ix", ["accountId", "environment", "endpointId", "id"], FAILED)
@Index("webhook_delivery_failed_ix", ["accountId", "environment", "id"], FAILED)
@Index("webhook_delivery_pending_ix", ["accountId", "environment", "id"], PENDING)
@Index("webhook_delivery_delivered_ix", ["accountId", "environment", "id"], DELIVERED)
@Index("webhook_delivery_dead_ix", ["accountId", "environment", "id"], DEAD)
@Index("webhook_delivery_queued_ix", ["accountId", "environment", "queuedAt"], PENDING)
@Index("webhook_delivery_completed_ix", ["accountId", "environment", "createdAt"], COMPLETED)
@ForeignKey(
  () => WebhookEndpointEntity,
  ["accountId", "environment", "endpointId"],
  ["accountId", "environment", "id"],
  { name: "webhook_delivery_endpoint_fk", onDelete: "CASCADE" },
)
export class WebhookDeliveryEntity {
  @AccountKey("webhook_delivery_pk")
  accountId!: number;

  @PrimaryColumn("text", { primaryKeyConstraintName: "webhook_delivery_pk" })
  environment!: Environment;

  @SequenceKey("webhook_delivery_pk")
  id!: number;

  @Column("bigint")
  endpointId!: number;

  @Column("uuid")
  eventId!: string;

  @Column("text")
  event!: WebhookEvent | typeof TEST_EVENT;

  /** Events with the same subject are delivered to an endpoint in order. */
  @Column("text")
  subject!: string;

  @Column("json")
  payload!: string;

  @Column("enum", { enum: WEBHOOK_DELIVERY_STATES, enumName: "webhook_delivery_state", default: "pending" })
  state!: WebhookDeliveryState;

  @Column("integer", { default: 0 })
  attempts!: number;

  /** Also the lease of an attempt in progress: if its process dies, the delivery is retried at this time. */
  @Column("timestamp with time zone", { precision: 3, default: () => "now()" })
  nextAttemptAt!: Date;

  @Column("integer", { nullable: true })
  lastStatus!: number | null;

  @Column("text", { nullable: true })
  lastError!: string | null;

  @TimeOfWriting()
  createdAt!: Date;

  @OptionalTime()
  deliveredAt!: Date | null;

  @TimeOfWriting()
  queuedAt!: Date;
}

// Raw SQL: the plans of keyset pages depend on how the conditions are written, and TypeORM would parse the payload.
// Each count of pending deliveries ends at a limit.

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
  readsUsed: true,
  condition: IS_SHOWN,
  conditions: ({ endpointId, state, lastAttemptFailed }: WebhookDeliveryFilter, values) => [
    // Compares with null for a deleted endpoint: `IS_SHOWN` alone would read all of its deliveries.
    endpointId !== undefined &&
      `endpoint_id = (SELECT id FROM webhook_endpoint
        WHERE account_id = $1 AND environment = $2 AND id = ${values.add(endpointId)} AND deleted_at IS NULL)`,
    // A literal, so that the partial index of the state is used.
    state && `state = ${escapeLiteral(state)}`,
    lastAttemptFailed !== undefined && `last_error IS ${lastAttemptFailed ? "NOT " : ""}NULL`,
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

/** Starts over, as if the event had just occurred. */
const REPLAYED = `state = 'pending', attempts = 0, next_attempt_at = now(), delivered_at = NULL, queued_at = now(),
      last_status = NULL, last_error = NULL`;

/** Excludes pending deliveries that are due within $4 milliseconds, the duration of a lease: one of them may be in progress. */
const IS_REPLAYABLE = "(state <> 'pending' OR next_attempt_at > now() + $4 * interval '1 millisecond')";

const REPLAY: Statement = {
  name: "webhook_delivery_replay",
  access: "write",
  text: `UPDATE webhook_delivery SET ${REPLAYED}
    WHERE account_id = $1 AND environment = $2 AND id = $3 AND ${IS_REPLAYABLE} AND ${IS_SHOWN}
    RETURNING ${WEBHOOK_DELIVERIES.columns}`,
};

const REPLAY_FAILED: Statement = {
  name: "webhook_deliveries_replay_failed",
  access: "write",
  plan: "inIndexOrder",
  text: `WITH failed AS MATERIALIZED (
      SELECT ctid AS place FROM webhook_delivery
      WHERE account_id = $1 AND environment = $2 AND endpoint_id = $3 AND last_error IS NOT NULL AND ${IS_REPLAYABLE}
      ORDER BY id LIMIT $5 FOR UPDATE SKIP LOCKED
    )
    UPDATE webhook_delivery AS delivery SET ${REPLAYED} FROM failed
    WHERE delivery.account_id = $1 AND delivery.environment = $2 AND delivery.ctid = failed.place RETURNING delivery.id`,
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

/**
 * Queues a delivery again, for now. A pending one that is due within `leaseMs` stays as it is.
 * @returns null when it does not exist
 */
export async function replayDelivery(
  transaction: TenantTransaction,
  id: number,
  leaseMs: number,
): Promise<WebhookDelivery | null> {
  const [replayed] = await transaction.run<WebhookDelivery>(REPLAY, [id, leaseMs]);
  const [delivery = null] = replayed ? [replayed] : await WEBHOOK_DELIVERY_LIST.byIds(transaction, [id]);
  return delivery;
}

/** Replays the oldest deliveries of an endpoint whose last attempt failed, at most `limit`. @returns their number */
export async function replayFailedDeliveries(
  transaction: TenantTransaction,
  endpointId: number,
  leaseMs: number,
  limit: number,
): Promise<number> {
  return (await transaction.run(REPLAY_FAILED, [endpointId, leaseMs, limit])).length;
}
