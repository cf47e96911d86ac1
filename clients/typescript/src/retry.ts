import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, ConnectionError, UnexpectedReplyError } from "./errors.js";
import { type CallLimits, LONGEST_MS } from "./options.js";

/** The longest wait before the first retry; it doubles with each. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** Failures of a moment. The last one is what a retry meets whose first attempt is still under way. */
const PASSING_CODES = new Set<string>([
  "internal",
  "unavailable",
  "rate_limited",
  "slow_consumer",
  "idempotency_key_in_use",
]);

/**
 * Attempts something until it succeeds, or fails for good, or there is no patience left. Whatever is attempted must be safe to
 * repeat.
 * @param attempt gets the time that it may take, in milliseconds
 * @throws what the last attempt threw; the signal's reason
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
      if (failed > limits.maxRetries || !isPassing(error)) throw error;
      const wait = waitBefore(failed, retryAfterOf(error), Math.random());
      if (performance.now() + wait >= deadline) throw error;
      await pause(wait, signal);
    }
  }
}

/**
 * How long to wait before a retry, in milliseconds: any time up to a bound that doubles, so that clients which failed together
 * do not come back together; after what the service asks for, if it does.
 * @param retry 1 for the first one
 * @param chance from 0 to 1
 */
export function waitBefore(retry: number, retryAfter: number | undefined, chance: number): number {
  const jitter = chance * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (retry - 1));
  return (retryAfter ?? 0) * 1000 + jitter;
}

/** Waits, for no longer than a timer can. @throws the signal's reason */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(Math.min(milliseconds, LONGEST_MS), undefined, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}

/** Whether the same request may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof ApiError) return PASSING_CODES.has(error.code) || isPassingStatus(error.status);
  return error instanceof UnexpectedReplyError && isPassingStatus(error.status);
}

function isPassingStatus(status: number): boolean {
  return status === 429 || status >= 500;
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof ApiError || error instanceof UnexpectedReplyError ? error.retryAfter : undefined;
}
