import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Makes the secret that an endpoint's events are signed with: to be shown once. */
export function issueWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/**
 * The headers of one attempt, as the Standard Webhooks have them (https://www.standardwebhooks.com).
 * @param secrets each signs; a receiver takes any signature that fits its own secret
 * @param at when it is sent: receivers refuse what is old, so that nobody sends it again later
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
