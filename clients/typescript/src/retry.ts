import { pauseUnlessAborted } from "./abort.js";
import { ApiError, ConnectionError, UnexpectedReplyError } from "./errors.js";
import type { CallLimits, RetryInfo } from "./options.js";

/** Maximum wait before the first retry; doubles with each. */
const INITIAL_WAIT_MS = 250;
const MAX_WAIT_MS = 8_000;
/** Transient codes. A retry gets the last one while its first attempt is still in progress. */
const TRANSIENT_CODES = new Set<string>([
  "internal",
  "unavailable",
  "rate_limited",
  "slow_consumer",
  "idempotency_key_in_use",
]);

/**
 * Retries an operation until it succeeds, fails permanently, or exceeds the limits. It must be safe to repeat.
 * @param send receives its timeout in milliseconds, and the number of the attempt
 * @param onRetry is called before the wait
 * @throws the last attempt's error; the signal's reason
 */
export async function withRetries<T>(
  send: (timeoutMs: number, attempt: number) => Promise<T>,
  limits: CallLimits,
  signal: AbortSignal | undefined,
  onRetry: (retry: Omit<RetryInfo, "operation">) => void,
): Promise<T> {
  const deadline = performance.now() + limits.maxElapsedMs;
  for (let attempt = 1; ; attempt += 1) {
    const left = deadline - performance.now();
    try {
      return await send(Math.ceil(Math.min(limits.timeoutMs, Math.max(left, 1))), attempt);
    } catch (error) {
      if (attempt > limits.maxRetries || !isTransient(error)) throw error;
      const waitMs = retryDelayMs(attempt, retryAfterOf(error), Math.random());
      if (performance.now() + waitMs >= deadline) throw error;
      onRetry({ attempt, error, waitMs });
      await pauseUnlessAborted(waitMs, signal);
    }
  }
}

/**
 * Returns the wait before a retry in milliseconds: random up to a doubling maximum, so that clients do not retry in step, plus
 * the service's `Retry-After`.
 * @param retry 1 for the first one
 * @param chance from 0 to 1
 */
export function retryDelayMs(retry: number, retryAfter: number | undefined, chance: number): number {
  const jitter = chance * Math.min(MAX_WAIT_MS, INITIAL_WAIT_MS * 2 ** (retry - 1));
  return (retryAfter ?? 0) * 1000 + jitter;
}

/** Returns whether the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof ApiError) return TRANSIENT_CODES.has(error.code) || isTransientStatus(error.status);
  return error instanceof UnexpectedReplyError && isTransientStatus(error.status);
}

function isTransientStatus(status: number): boolean {
  return status === 429 || status >= 500;
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof ApiError || error instanceof UnexpectedReplyError ? error.retryAfter : undefined;
}
