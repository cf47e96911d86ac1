import { createHmac, randomBytes } from "node:crypto";

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
