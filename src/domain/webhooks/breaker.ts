import type { WebhookDisabledReason, WebhookEndpointHealth } from "./webhook.js";

/** HTTP status with which a receiver asks for no more webhooks. */
export const GONE = 410;

/** Relative jitter of a pause, so that endpoints of one receiver are not probed at the same time. */
const JITTER = 0.1;

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

/** What failed attempts change of an endpoint. */
export type BreakerState = Pick<
  WebhookEndpointHealth,
  "consecutiveFailures" | "failingSince" | "pausedUntil"
> & {
  readonly disabledAt: Date | null;
  readonly disabledReason: WebhookDisabledReason | null;
};

/**
 * Returns the state of an endpoint after a failed attempt.
 * @param status of the response; null without one
 */
export function afterFailure(
  { consecutiveFailures, failingSince, disabledAt, disabledReason }: BreakerState,
  { at, status }: { readonly at: Date; readonly status: number | null },
  { pauseAfterFailures, firstPauseMs, maxPauseMs, disableAfterMs }: BreakerOptions,
): BreakerState {
  const failures = consecutiveFailures + 1;
  const since = failingSince ?? at;
  const pauses = failures - pauseAfterFailures;
  const isPaused = pauses >= 0;
  const pauseMs = Math.min(firstPauseMs * 2 ** pauses, maxPauseMs) * (1 + JITTER * (2 * Math.random() - 1));
  const hasOnlyFailed = disableAfterMs > 0 && isPaused && at.getTime() - since.getTime() >= disableAfterMs;
  const reason = status === GONE ? "gone" : hasOnlyFailed ? "failing" : null;
  return {
    consecutiveFailures: failures,
    failingSince: since,
    pausedUntil: isPaused ? new Date(at.getTime() + pauseMs) : null,
    ...(disabledAt === null && reason !== null
      ? { disabledAt: at, disabledReason: reason }
      : { disabledAt, disabledReason }),
  };
}
