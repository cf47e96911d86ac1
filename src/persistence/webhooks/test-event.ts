import { randomUUID } from "node:crypto";
import { TEST_EVENT, type WebhookDelivery } from "../../domain/webhooks/webhook.js";
import { eventPayload, nodeId } from "../shared/event-payload.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { WEBHOOK_DELIVERIES } from "./deliveries.js";

// Raw SQL: the payload is JSON text.

// Lock before looking for a pending test event, so that concurrent requests cannot send two.
const LOCK: Statement = {
  name: "webhook_endpoint_lock",
  access: "write",
  text: `SELECT disabled_at IS NULL AS "isEnabled" FROM webhook_endpoint
    WHERE account_id = $1 AND environment = $2 AND id = $3 AND deleted_at IS NULL FOR NO KEY UPDATE`,
};

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
 * Queues a test event for an endpoint.
 * @param transaction an open transaction
 * @returns the delivery, or the pending one of an earlier test event; `disabled` or `not_found` if nothing can be sent
 */
export async function insertTestEvent(
  transaction: TenantDb,
  endpointId: number,
): Promise<WebhookDelivery | "disabled" | "not_found"> {
  const [endpoint] = await transaction.run<{ isEnabled: boolean }>(LOCK, [endpointId]);
  if (!endpoint) return "not_found";
  if (!endpoint.isEnabled) return "disabled";
  const [pending] = await transaction.run<WebhookDelivery>(PENDING, [endpointId, TEST_EVENT]);
  if (pending) return pending;
  const [delivery] = await transaction.run<WebhookDelivery>(INSERT, [endpointId, TEST_EVENT, randomUUID()]);
  if (!delivery) throw new Error("The test event was not stored.");
  return delivery;
}
