const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delay after each failed attempt, about two days in total. After the last one the delivery is marked dead. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];

/** Maximum `Retry-After` that is honoured. */
const MAX_RETRY_AFTER_MS = HOUR_MS;
/** Relative jitter, so that simultaneous failures are not retried simultaneously. */
const JITTER = 0.2;

/**
 * Returns the delay in milliseconds after a failed attempt; null if it was the last one.
 * @param attempts number of attempts so far
 * @param retryAfterMs the receiver's `Retry-After`, if any
 */
export function retryDelay(
  attempts: number,
  retryAfterMs: number | null,
  delays: readonly number[] = RETRY_DELAYS_MS,
): number | null {
  const delay = delays[attempts - 1];
  if (delay === undefined) return null;
  const jittered = delay * (1 + JITTER * (2 * Math.random() - 1));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)));
}

/** Parses a `Retry-After` header, in seconds or as a date, to milliseconds; null if it is absent or invalid. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
