import type { ClaimedDelivery, WebhookDisabledReason } from "../../domain/webhooks/webhook.js";
import { recordedChange } from "../shared/audit-recording.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: a delivery and its endpoint are updated together, if the lease is still held.

/**
 * Holds only until the lease expires: then another process may have claimed the delivery. coalesce excludes the partial indexes of pending
 * deliveries, any of which PostgreSQL may choose without statistics; the others have the endpoint and the ID. Citus requires an immutable
 * expression, which a cast to text is not.
 */
const HAS_LEASE = `account_id = $1 AND environment = $2 AND id = $3 AND endpoint_id = $4 AND coalesce(state = 'pending', false)
  AND next_attempt_at = $5`;
const IS_ENDPOINT = `endpoint.account_id = $1 AND endpoint.environment = $2 AND endpoint.id = settled.endpoint_id`;

/** Updates the endpoint at most every 10 seconds while deliveries succeed. */
const SUCCEEDED: Statement = {
  name: "webhook_delivery_succeeded",
  access: "write",
  text: `WITH settled AS (
      UPDATE webhook_delivery SET state = 'delivered', last_status = $6, last_error = NULL, next_attempt_at = now(),
        delivered_at = now()
      WHERE ${HAS_LEASE} RETURNING endpoint_id
    )
    UPDATE webhook_endpoint AS endpoint
    SET last_success_at = now(), consecutive_failures = 0, failing_since = NULL, paused_until = NULL
    FROM settled, webhook_endpoint AS before
    WHERE ${IS_ENDPOINT}
      AND before.account_id = $1 AND before.environment = $2 AND before.id = settled.endpoint_id
      AND (endpoint.consecutive_failures > 0 OR endpoint.last_success_at IS NULL
        OR endpoint.last_success_at < now() - interval '10 seconds')
    RETURNING before.consecutive_failures AS "failuresBefore"`,
};

const IS_PAUSED = "endpoint.consecutive_failures + 1 >= $10";
const IS_DISABLED = `($13::double precision > 0 AND ${IS_PAUSED}
  AND failed_at - endpoint.failing_since >= $13 * interval '1 millisecond')`;

// The pause doubles with each failure up to a maximum, with 10 % jitter. Citus requires immutable expressions in CASE: not a time plus an
// interval.
const FAILED: Statement = {
  name: "webhook_delivery_failed",
  access: "write",
  ...recordedChange(
    `settled AS (
      UPDATE webhook_delivery SET state = $6, last_status = $7, last_error = $8,
        next_attempt_at = now() + $9 * interval '1 millisecond'
      WHERE ${HAS_LEASE} RETURNING endpoint_id
    ), settled_at AS (SELECT now() AS failed_at, extract(epoch FROM now())::double precision AS failed_seconds
    ), failed AS (
    UPDATE webhook_endpoint AS endpoint
    SET consecutive_failures = endpoint.consecutive_failures + 1, last_failure_at = now(), last_error = $8,
      failing_since = coalesce(endpoint.failing_since, failed_at),
      paused_until = CASE WHEN ${IS_PAUSED} THEN to_timestamp(failed_seconds + $14::double precision / 1000
        * least($11::double precision * 2 ^ least(endpoint.consecutive_failures + 1 - $10::integer, 20), $12::double precision))
      END,
      disabled_reason = CASE WHEN endpoint.disabled_at IS NOT NULL THEN endpoint.disabled_reason
        WHEN $7 = 410 THEN 'gone' WHEN ${IS_DISABLED} THEN 'failing' END,
      disabled_at = CASE WHEN endpoint.disabled_at IS NOT NULL THEN endpoint.disabled_at
        WHEN $7 = 410 OR ${IS_DISABLED} THEN failed_at END
    FROM settled, settled_at WHERE ${IS_ENDPOINT}
    RETURNING endpoint.*, endpoint.disabled_at = failed_at::timestamp(3) with time zone AS is_disabled_now
    )`,
    {
      action: "'webhook_endpoint.disabled'",
      subjectName: "name",
      changed: "'{enabled}'",
      from: "FROM failed WHERE is_disabled_now AND deleted_at IS NULL AND disabled_reason IN ('gone', 'failing')",
    },
    (further) => `SELECT consecutive_failures AS failures, paused_until IS NOT NULL AS "isPaused",
      disabled_reason AS "disabledReason", is_disabled_now AS "isDisabledNow"${further} FROM failed`,
  ),
};

export interface FailedAttempt {
  readonly state: "pending" | "dead";
  /** HTTP status; null without a response. */
  readonly status: number | null;
  readonly error: string;
  /** Delay before the next attempt. */
  readonly waitMs: number;
}

/** Circuit breaker for failing endpoints. */
export interface BreakerOptions {
  /** Number of consecutive failures after which the endpoint is paused; then it gets single attempts until one succeeds. */
  readonly pauseAfterFailures: number;
  /** First pause; each further one is twice as long. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** An endpoint that has only failed for this time is disabled; 0 never disables it. */
  readonly disableAfterMs: number;
}

export interface FailedEndpoint {
  readonly failures: number;
  readonly isPaused: boolean;
  readonly disabledReason: WebhookDisabledReason | null;
  /** Whether this attempt has disabled it; null if it is not disabled. */
  readonly isDisabledNow: boolean | null;
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
  db: TenantDb,
  { id, endpointId, leasedUntil }: ClaimedDelivery,
  { state, status, error, waitMs }: FailedAttempt,
  { pauseAfterFailures, firstPauseMs, maxPauseMs, disableAfterMs }: BreakerOptions,
): Promise<FailedEndpoint | null> {
  const key = [id, endpointId, leasedUntil];
  const jitter = 0.9 + Math.random() * 0.2;
  const breaker = [pauseAfterFailures, firstPauseMs, maxPauseMs, disableAfterMs, jitter];
  const values = [...key, state, status, error, waitMs, ...breaker];
  return (await db.run<FailedEndpoint>(FAILED, values))[0] ?? null;
}
