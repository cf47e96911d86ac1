import { createHmac, randomBytes } from "node:crypto";

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

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Creates an endpoint's signing secret, to be shown once. */
export function issueWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/**
 * Returns the headers of one attempt, as defined by Standard Webhooks (https://www.standardwebhooks.com).
 * @param secrets each adds a signature; receivers accept any signature that matches their secret
 * @param at time of sending: receivers reject old timestamps, which prevents replay
 */
export function webhookHeaders(eventId: string, body: string, secrets: readonly string[], at: Date) {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${eventId}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
