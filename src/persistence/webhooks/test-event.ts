import { randomUUID } from "node:crypto";
import { TEST_EVENT, type WebhookDelivery } from "../../domain/webhooks/webhook.js";
import { eventPayload, nodeId } from "../shared/event-payload.js";
import type { Statement } from "../shared/statement.js";
import type { TenantTransaction } from "../shared/tenant-db.js";
import { WEBHOOK_DELIVERIES } from "./deliveries.js";
import type { WebhookEndpointEntity } from "./endpoints.js";

// Raw SQL: the payload is JSON text, which TypeORM would parse and encode again.

const PENDING: Statement = {
  name: "webhook_test_pending",
  access: "write",
  text: `SELECT ${WEBHOOK_DELIVERIES.columns} FROM webhook_delivery
    WHERE account_id = $1 AND environment = $2 AND endpoint_id = $3 AND subject = $4 AND state = 'pending' LIMIT 1`,
};

const PAYLOAD = eventPayload({
  id: "$5::uuid",
  type: "$4::text",
  createdAt: "now()",
  environment: "$2::environment",
  data: `json_build_object('webhookEndpoint', json_build_object('id', ${nodeId("WebhookEndpoint", "$3::bigint")}))`,
});

const INSERT: Statement = {
  name: "webhook_test_insert",
  access: "write",
  text: `INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload)
    VALUES ($1, $2::environment, $3::bigint, $5::uuid, $4::text, $4::text, ${PAYLOAD})
    RETURNING ${WEBHOOK_DELIVERIES.columns}`,
};

/**
 * Queues a test event for an endpoint, which is locked so that concurrent requests cannot send two.
 * @returns the delivery, or the pending one of an earlier test event; `disabled` if nothing can be sent
 */
export async function insertTestEvent(
  transaction: TenantTransaction,
  { id, disabledAt }: WebhookEndpointEntity,
): Promise<WebhookDelivery | "disabled"> {
  if (disabledAt !== null) return "disabled";
  const [pending] = await transaction.run<WebhookDelivery>(PENDING, [id, TEST_EVENT]);
  if (pending) return pending;
  const [delivery] = await transaction.run<WebhookDelivery>(INSERT, [id, TEST_EVENT, randomUUID()]);
  if (!delivery) throw new Error("The test event was not stored.");
  return delivery;
}
