import type { ClaimedDelivery, WebhookDisabledReason } from "../../domain/webhooks/webhook.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Statements: a delivery and its endpoint change together, on condition of the lease.

/** Only while the lease is ours: after that, another process decides. */
const IS_OURS =
  "account_id = $1 AND environment = $2 AND id = $3 AND state = 'pending' AND next_attempt_at = $4";
const ENDPOINT_OF_IT = `endpoint.account_id = $1 AND endpoint.environment = $2 AND endpoint.id = settled.endpoint_id`;

/** The row of an endpoint is written seldom while deliveries to it succeed. */
const SUCCEEDED: Statement = {
  name: "webhook_delivery_succeeded",
  access: "write",
  text: `WITH settled AS (
      UPDATE webhook_delivery SET state = 'delivered', last_status = $5, last_error = NULL, next_attempt_at = now(),
        delivered_at = now()
      WHERE ${IS_OURS} RETURNING endpoint_id
    )
    UPDATE webhook_endpoint AS endpoint
    SET last_success_at = now(), consecutive_failures = 0, failing_since = NULL, paused_until = NULL
    FROM settled, webhook_endpoint AS before
    WHERE ${ENDPOINT_OF_IT}
      AND before.account_id = $1 AND before.environment = $2 AND before.id = settled.endpoint_id
      AND (endpoint.consecutive_failures > 0 OR endpoint.last_success_at IS NULL
        OR endpoint.last_success_at < now() - interval '10 seconds')
    RETURNING before.consecutive_failures AS "failuresBefore"`,
};

const IS_PAUSED = "endpoint.consecutive_failures + 1 >= $9";
const IS_GIVEN_UP = `($12::double precision > 0 AND ${IS_PAUSED}
  AND endpoint.failing_since <= now() - $12 * interval '1 millisecond')`;

// The pause doubles with each failure, up to its limit, and varies by a tenth.
const FAILED: Statement = {
  name: "webhook_delivery_failed",
  access: "write",
  text: `WITH settled AS (
      UPDATE webhook_delivery SET state = $5, last_status = $6, last_error = $7,
        next_attempt_at = now() + $8 * interval '1 millisecond'
      WHERE ${IS_OURS} RETURNING endpoint_id
    )
    UPDATE webhook_endpoint AS endpoint
    SET consecutive_failures = endpoint.consecutive_failures + 1, last_failure_at = now(), last_error = $7,
      failing_since = coalesce(endpoint.failing_since, now()),
      paused_until = CASE WHEN ${IS_PAUSED} THEN now() + (0.9 + random() * 0.2) * interval '1 millisecond'
        * least($10::double precision * 2 ^ least(endpoint.consecutive_failures + 1 - $9::integer, 20), $11::double precision)
      END,
      disabled_reason = CASE WHEN endpoint.disabled_at IS NOT NULL THEN endpoint.disabled_reason
        WHEN $6 = 410 THEN 'gone' WHEN ${IS_GIVEN_UP} THEN 'failing' END,
      disabled_at = CASE WHEN endpoint.disabled_at IS NOT NULL THEN endpoint.disabled_at
        WHEN $6 = 410 OR ${IS_GIVEN_UP} THEN now() END
    FROM settled WHERE ${ENDPOINT_OF_IT}
    RETURNING endpoint.consecutive_failures AS failures, endpoint.paused_until IS NOT NULL AS "isPaused",
      endpoint.disabled_reason AS "disabledReason", endpoint.disabled_at = now()::timestamp(3) with time zone AS "isDisabledNow"`,
};

/** An attempt that did not succeed. */
export interface FailedAttempt {
  readonly state: "pending" | "dead";
  /** Null where there was no answer. */
  readonly status: number | null;
  readonly error: string;
  /** When the next attempt may be made, from now. */
  readonly waitMs: number;
}

/** What too many failures in a row lead to. */
export interface BreakerOptions {
  /** After so many failures in a row the endpoint is paused; then it gets single attempts until one succeeds. */
  readonly pauseAfterFailures: number;
  /** The first pause; each further one is twice as long. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** An endpoint is disabled when every attempt in so long has failed; 0 for never. */
  readonly disableAfterMs: number;
}

/** An endpoint after a failed attempt. */
export interface FailedEndpoint {
  readonly failures: number;
  readonly isPaused: boolean;
  readonly disabledReason: WebhookDisabledReason | null;
  /** Whether this attempt has disabled it; null where it is not disabled. */
  readonly isDisabledNow: boolean | null;
}

/** Records that a delivery was accepted, unless its lease is over. @returns how often the endpoint had failed in a row before */
export async function settleSuccess(
  db: TenantDb,
  { id, leasedUntil }: ClaimedDelivery,
  status: number,
): Promise<number> {
  const values = [id, leasedUntil, status];
  const [endpoint] = await db.run<{ failuresBefore: number }>(SUCCEEDED, values);
  return endpoint?.failuresBefore ?? 0;
}

/** Records a failed attempt, unless its lease is over. @returns null when it is */
export async function settleFailure(
  db: TenantDb,
  { id, leasedUntil }: ClaimedDelivery,
  { state, status, error, waitMs }: FailedAttempt,
  { pauseAfterFailures, firstPauseMs, maxPauseMs, disableAfterMs }: BreakerOptions,
): Promise<FailedEndpoint | null> {
  const key = [id, leasedUntil];
  const breaker = [pauseAfterFailures, firstPauseMs, maxPauseMs, disableAfterMs];
  const values = [...key, state, status, error, waitMs, ...breaker];
  return (await db.run<FailedEndpoint>(FAILED, values))[0] ?? null;
}
