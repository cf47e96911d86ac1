import { Column, Entity, ForeignKey, Index, PrimaryColumn } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import {
  type TEST_EVENT,
  WEBHOOK_DELIVERY_STATES,
  type WebhookDeliveryState,
  type WebhookEvent,
} from "../../domain/webhooks/webhook.js";
import { AccountKey, OptionalTime, SequenceKey, TimeOfWriting } from "../shared/table.js";
import { WebhookEndpointEntity } from "./endpoint-entity.js";

const PENDING = { where: "(state = 'pending'::webhook_delivery_state)" };
const COMPLETED = { where: "(state <> 'pending'::webhook_delivery_state)" };
const DELIVERED = { where: "(state = 'delivered'::webhook_delivery_state)" };
const DEAD = { where: "(state = 'dead'::webhook_delivery_state)" };

@Entity("webhook_delivery")
@Index("webhook_delivery_due_ix", ["accountId", "environment", "endpointId", "nextAttemptAt", "id"], PENDING)
@Index("webhook_delivery_order_ix", ["accountId", "environment", "endpointId", "subject", "id"], PENDING)
@Index("webhook_delivery_endpoint_ix", ["accountId", "environment", "endpointId", "id"])
@Index("webhook_delivery_endpoint_pending_ix", ["accountId", "environment", "endpointId", "id"], PENDING)
@Index("webhook_delivery_endpoint_delivered_ix", ["accountId", "environment", "endpointId", "id"], DELIVERED)
@Index("webhook_delivery_endpoint_dead_ix", ["accountId", "environment", "endpointId", "id"], DEAD)
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
