import { randomUUID } from "node:crypto";
import { type ClaimedDelivery, TEST_EVENT, type WebhookDelivery } from "../../domain/webhooks/webhook.js";
import { eventPayload, nodeId } from "../shared/event-payload.js";
import type { Statement } from "../shared/statement.js";
import type { TenantTransaction } from "../shared/tenant-db.js";
import { WEBHOOK_DELIVERIES } from "./deliveries.js";
import type { WebhookEndpointEntity } from "./endpoints.js";

// Raw SQL: the payload is JSON text, which TypeORM would parse and encode again.

/** An earlier test event that waits in the same way: for this process's reply, or in the queue. */
const PENDING: Statement = {
  name: "webhook_test_pending",
  access: "write",
  text: `SELECT ${WEBHOOK_DELIVERIES.columns} FROM webhook_delivery
    WHERE account_id = $1 AND environment = $2 AND endpoint_id = $3 AND subject = $4 AND state = 'pending'
      AND last_error IS NULL AND attempts = $5 AND ($5 = 0 OR next_attempt_at > now()) LIMIT 1`,
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
  text: `INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload, attempts,
        next_attempt_at)
    VALUES ($1, $2::environment, $3::bigint, $5::uuid, $4::text, $4::text, ${PAYLOAD}, $6,
      now() + $7 * interval '1 millisecond')
    RETURNING ${WEBHOOK_DELIVERIES.columns}`,
};

/** A test event that was stored, or the earlier one that is still to be sent. */
interface StoredTestEvent {
  readonly delivery: WebhookDelivery;
  /** For the attempt that this process makes; null if it makes none. */
  readonly claim: ClaimedDelivery | null;
}

/**
 * Stores a test event for an endpoint, which is locked so that concurrent requests cannot send two.
 * @param leaseMs the duration of a claim, past a pause and past deliveries that wait; null to queue the event for another process
 * @returns `disabled` if nothing can be sent
 */
export async function insertTestEvent(
  transaction: TenantTransaction,
  endpoint: WebhookEndpointEntity,
  leaseMs: number | null,
): Promise<StoredTestEvent | "disabled"> {
  const { id, url, disabledAt } = endpoint;
  if (disabledAt !== null) return "disabled";
  const attempts = leaseMs === null ? 0 : 1;
  const [pending] = await transaction.run<WebhookDelivery>(PENDING, [id, TEST_EVENT, attempts]);
  if (pending) return { delivery: pending, claim: null };
  const values = [id, TEST_EVENT, randomUUID(), attempts, leaseMs ?? 0];
  const [delivery] = await transaction.run<WebhookDelivery>(INSERT, values);
  if (!delivery) throw new Error("The test event was not stored.");
  if (leaseMs === null) return { delivery, claim: null };
  const { createdAt: dueAt, nextAttemptAt: leasedUntil } = delivery;
  const claim = { ...transaction.key, ...delivery, subject: TEST_EVENT, dueAt, leasedUntil, url };
  return { delivery, claim: { ...claim, secrets: signingSecrets(endpoint) } };
}

function signingSecrets(endpoint: WebhookEndpointEntity): ClaimedDelivery["secrets"] {
  const {
    secretKeyId: keyId,
    secretCiphertext,
    previousSecretCiphertext,
    previousSecretExpiresAt,
  } = endpoint;
  const hasPrevious = previousSecretExpiresAt !== null && previousSecretExpiresAt > new Date();
  const previous = hasPrevious && previousSecretCiphertext ? [previousSecretCiphertext] : [];
  return [secretCiphertext, ...previous].map((ciphertext) => ({ keyId, ciphertext }));
}
