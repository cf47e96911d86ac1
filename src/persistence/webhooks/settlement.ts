import { afterFailure, type BreakerOptions, type BreakerState } from "../../domain/webhooks/breaker.js";
import type { ClaimedDelivery } from "../../domain/webhooks/webhook.js";
import { record } from "../shared/record.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb, TenantTransaction } from "../shared/tenant-db.js";
import { WebhookEndpointEntity } from "./endpoints.js";

// Raw SQL: the plan of the lease's condition is steered. A success, the frequent case, is one statement.

/**
 * Holds only until the lease expires: then another process may have claimed the delivery. coalesce excludes the partial indexes of pending
 * deliveries, any of which PostgreSQL may choose without statistics; the others have the endpoint and the ID. Citus requires an immutable
 * expression, which a cast to text is not.
 */
const HAS_LEASE = `account_id = $1 AND environment = $2 AND id = $3 AND endpoint_id = $4 AND coalesce(state = 'pending', false)
  AND next_attempt_at = $5`;
/** Updates the endpoint at most every 10 seconds while deliveries succeed. Joins it twice to return a value from before the update. */
const SUCCEEDED: Statement = {
  name: "webhook_delivery_succeeded",
  access: "write",
  text: `WITH delivered AS (
      UPDATE webhook_delivery SET state = 'delivered', last_status = $6, last_error = NULL, next_attempt_at = now(),
        delivered_at = now()
      WHERE ${HAS_LEASE} RETURNING endpoint_id
    )
    UPDATE webhook_endpoint AS endpoint
    SET last_success_at = now(), consecutive_failures = 0, failing_since = NULL, paused_until = NULL
    FROM delivered, webhook_endpoint AS former
    WHERE endpoint.account_id = $1 AND endpoint.environment = $2 AND endpoint.id = delivered.endpoint_id
      AND former.account_id = $1 AND former.environment = $2 AND former.id = delivered.endpoint_id
      AND (endpoint.consecutive_failures > 0 OR endpoint.last_success_at IS NULL
        OR endpoint.last_success_at < now() - interval '10 seconds')
    RETURNING former.consecutive_failures AS "failuresBefore"`,
};

/** Returns the time by the database's clock. Citus refuses now() in RETURNING. */
const FAILED: Statement = {
  name: "webhook_delivery_failed",
  access: "write",
  text: `WITH failed AS (
      UPDATE webhook_delivery SET state = $6, last_status = $7, last_error = $8,
        next_attempt_at = now() + $9 * interval '1 millisecond'
      WHERE ${HAS_LEASE} RETURNING id
    ) SELECT now() AS at FROM failed`,
};

export interface FailedAttempt {
  readonly state: "pending" | "dead";
  /** HTTP status; null without a response. */
  readonly status: number | null;
  readonly error: string;
  /** Delay before the next attempt. */
  readonly waitMs: number;
}

/** The state of an endpoint after a failed attempt. */
export interface FailedEndpoint extends BreakerState {
  /** Whether this attempt has disabled it. */
  readonly isDisabledNow: boolean;
}

/** Records a successful delivery, unless its lease has expired. @returns the endpoint's consecutive failures before it */
export async function settleSuccess(
  db: TenantDb,
  { id, endpointId, leasedUntil }: ClaimedDelivery,
  status: number,
): Promise<number> {
  const values = [id, endpointId, leasedUntil, status];
  const [endpoint] = await db.run<{ failuresBefore: number }>(SUCCEEDED, values);
  return endpoint?.failuresBefore ?? 0;
}

/** Records a failed attempt. @returns null when its lease has expired */
export async function settleFailure(
  transaction: TenantTransaction,
  { id, endpointId, leasedUntil }: ClaimedDelivery,
  { state, status, error, waitMs }: FailedAttempt,
  breaker: BreakerOptions,
): Promise<FailedEndpoint | null> {
  const values = [id, endpointId, leasedUntil, state, status, error, waitMs];
  const [failure] = await transaction.run<{ at: Date }>(FAILED, values);
  if (!failure) return null;
  const { at } = failure;
  const manager = transaction.manager("write", "webhook_endpoint_failed");
  const where = { ...transaction.key, id: endpointId };
  const former = await manager.findOneOrFail(WebhookEndpointEntity, {
    where,
    lock: { mode: "for_no_key_update" },
  });
  const current = afterFailure(former, { at, status }, breaker);
  const isDisabledNow = former.disabledAt === null && current.disabledAt !== null;
  await manager.update(WebhookEndpointEntity, where, {
    ...current,
    lastFailureAt: at,
    lastError: error,
    ...(isDisabledNow && { editVersion: former.editVersion + 1 }),
  });
  if (isDisabledNow && former.deletedAt === null) {
    const subject = { subjectId: endpointId, subjectName: former.name };
    // After the update, so that the endpoint gets no event about itself.
    await record(transaction, { action: "webhook_endpoint.disabled", ...subject, changed: ["enabled"] });
  }
  return { ...current, isDisabledNow };
}
