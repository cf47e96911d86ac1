import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, ConnectionError, UnexpectedReplyError } from "./errors.js";
import { type CallLimits, MAX_TIMER_MS } from "./options.js";

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
 * @param attempt receives its timeout in milliseconds
 * @throws the last attempt's error; the signal's reason
 */
export async function withRetries<T>(
  attempt: (timeoutMs: number) => Promise<T>,
  limits: CallLimits,
  signal: AbortSignal | undefined,
): Promise<T> {
  const deadline = performance.now() + limits.maxElapsedMs;
  for (let failed = 1; ; failed += 1) {
    const left = deadline - performance.now();
    try {
      return await attempt(Math.ceil(Math.min(limits.timeoutMs, Math.max(left, 1))));
    } catch (error) {
      if (failed > limits.maxRetries || !isTransient(error)) throw error;
      const wait = retryDelayMs(failed, retryAfterOf(error), Math.random());
      if (performance.now() + wait >= deadline) throw error;
      await pause(wait, signal);
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

/** Waits, at most the maximum of a timer. @throws the signal's reason */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(Math.min(milliseconds, MAX_TIMER_MS), undefined, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
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
