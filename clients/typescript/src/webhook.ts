import { decodeBase64 } from "./encoding.js";
import { UserGroupsError } from "./errors.js";
import { isJsonObject } from "./reply.js";

/** A webhook event. It contains no values: read what you need. */
export type WebhookEvent =
  | {
      readonly type: `user_group.${"created" | "updated" | "token_rotated" | "deleted"}`;
      /** The same in each delivery of an event, like `webhook-id`. */
      readonly id: string;
      readonly createdAt: string;
      readonly environment: "Customer" | "Testing";
      readonly data: {
        readonly userGroup: {
          /** The global ID. */
          readonly id: string;
          readonly teamId: number;
          readonly providedId: string;
          readonly version: number;
          /** The fields that an update changed. */
          readonly changed: readonly string[];
        };
      };
    }
  | {
      readonly type: "site_config.published";
      readonly id: string;
      readonly createdAt: string;
      readonly environment: "Customer" | "Testing";
      readonly data: {
        readonly siteConfig: { readonly id: string; readonly site: string; readonly revision: number };
      };
    }
  | {
      /** Another endpoint was disabled because it answered 410 or failed for days, or an admin has sent a test event. */
      readonly type: `webhook_endpoint.${"disabled" | "test"}`;
      readonly id: string;
      readonly createdAt: string;
      readonly environment: "Customer" | "Testing";
      readonly data: { readonly webhookEndpoint: { readonly id: string } };
    };

/** A request to verify. */
export interface WebhookRequest {
  /** The raw body, neither parsed nor re-serialised. */
  readonly body: string | Uint8Array;
  /** Headers of Node.js, Express or Fastify, or a `Headers` object. */
  readonly headers:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | { get(name: string): string | null };
  /** The endpoint's secret, `whsec_…`. After a rotation, the old one is valid for a day too. */
  readonly secret: string;
  /** Maximum age of the timestamp in seconds. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
}

/** The request is not from the service, or too old: answer 400. */
export class WebhookVerificationError extends UserGroupsError {
  override readonly name = "WebhookVerificationError";
}

const PREFIX = "whsec_";
const ALGORITHM = { name: "HMAC", hash: "SHA-256" } as const;

/** Verifies the signature of a webhook (Standard Webhooks). @returns the event @throws WebhookVerificationError */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const { body, secret, toleranceSeconds = 300 } = request;
  const id = headerOf(request, "webhook-id");
  const timestamp = headerOf(request, "webhook-timestamp");
  const signatures = headerOf(request, "webhook-signature");
  const secretBytes = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : undefined;
  if (!secretBytes?.length)
    throw new TypeError("`secret` must be the endpoint's secret, which begins with `whsec_`.");
  const key = await crypto.subtle.importKey("raw", secretBytes, ALGORITHM, false, ["verify"]);
  const text = typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const checks = signatures.split(" ").map(async (candidate) => {
    const [version, signature = ""] = candidate.split(",");
    return version === "v1" && crypto.subtle.verify("HMAC", key, decodeBase64(signature), signed);
  });
  if (!(await Promise.all(checks)).includes(true))
    throw new WebhookVerificationError("The signature does not match the secret.");
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds))
    throw new WebhookVerificationError(
      `The timestamp differs from the current time by more than ${toleranceSeconds} s.`,
    );
  const event: unknown = JSON.parse(text);
  if (isEvent(event)) return event;
  throw new WebhookVerificationError("The body is not a webhook event.");
}

function headerOf({ headers }: WebhookRequest, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : headers[name];
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookVerificationError(`The header \`${name}\` is missing.`);
}

function isHeaders(headers: WebhookRequest["headers"]): headers is { get(name: string): string | null } {
  return typeof headers["get"] === "function";
}

/** Signed content has the service's types; only the kind is checked. */
function isEvent(value: unknown): value is WebhookEvent {
  return isJsonObject(value) && typeof value["type"] === "string" && isJsonObject(value["data"]);
}
