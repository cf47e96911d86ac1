const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long to wait after each failed attempt; after the last one, the delivery is dead. About two days altogether. */
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

/** A receiver may ask for patience of so long. */
const MAX_RETRY_AFTER_MS = HOUR_MS;
/** By which part a wait is shortened or lengthened, so that what failed together does not come again together. */
const JITTER = 0.2;

/**
 * How long to wait after a failed attempt; null when it was the last.
 * @param attempts how many there were
 * @param retryAfterMs what the receiver asks for, if it does
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

/** The wait that a `Retry-After` header asks for, in seconds or as a date; null when it asks for none. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
