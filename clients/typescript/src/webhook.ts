import { createHmac, timingSafeEqual } from "node:crypto";
import { UserGroupsError } from "./errors.js";
import { isJsonObject } from "./reply.js";

/** What a webhook tells. Values are not in it: read what you need. */
export type WebhookEvent =
  | {
      readonly type: `user_group.${"created" | "updated" | "token_rotated" | "deleted"}`;
      /** The same in each delivery of one event, as `webhook-id`. */
      readonly id: string;
      readonly createdAt: string;
      readonly environment: "Customer" | "Testing";
      readonly data: {
        readonly userGroup: {
          /** The global id. */
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
      /** Another endpoint was disabled, as it answered 410 or failed for days. */
      readonly type: "webhook_endpoint.disabled";
      readonly id: string;
      readonly createdAt: string;
      readonly environment: "Customer" | "Testing";
      readonly data: { readonly webhookEndpoint: { readonly id: string } };
    };

/** A request that may be a webhook. */
export interface WebhookRequest {
  /** The body as it came, byte by byte: not parsed, not written anew. */
  readonly body: string | Uint8Array;
  /** As Node.js, Express and Fastify have them, or a `Headers`. */
  readonly headers:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | { get(name: string): string | null };
  /** The endpoint's, `whsec_…`. While the service signs with an old one too, either fits. */
  readonly secret: string;
  /** How far its time may be from ours, in seconds. 300 unless told otherwise. */
  readonly toleranceSeconds?: number | undefined;
}

/** The request is not from the service, or too old: answer with 400. */
export class WebhookVerificationError extends UserGroupsError {
  override readonly name = "WebhookVerificationError";
}

const PREFIX = "whsec_";

/** Checks the signature of a webhook (Standard Webhooks). @returns what it tells @throws WebhookVerificationError */
export function verifyWebhook(request: WebhookRequest): WebhookEvent {
  const { body, secret, toleranceSeconds = 300 } = request;
  const id = headerOf(request, "webhook-id");
  const timestamp = headerOf(request, "webhook-timestamp");
  const signatures = headerOf(request, "webhook-signature");
  if (!secret.startsWith(PREFIX))
    throw new TypeError("secret must be the endpoint's, which begins with whsec_.");
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  if (!signatures.split(" ").some((one) => isSame(one, signature))) {
    throw new WebhookVerificationError("The signature does not fit the secret.");
  }
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds)) throw new WebhookVerificationError("The time is too far from ours.");
  const event: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
  if (isEvent(event)) return event;
  throw new WebhookVerificationError("The body is not an event.");
}

function isSame(given: string, signature: Buffer): boolean {
  const [version, base64 = ""] = given.split(",");
  const bytes = Buffer.from(base64, "base64");
  return version === "v1" && bytes.length === signature.length && timingSafeEqual(bytes, signature);
}

function headerOf({ headers }: WebhookRequest, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : headers[name];
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}

function isHeaders(headers: WebhookRequest["headers"]): headers is { get(name: string): string | null } {
  return typeof headers["get"] === "function";
}

/** What is signed is the service's, and has its types; only the kind is looked at. */
function isEvent(value: unknown): value is WebhookEvent {
  return isJsonObject(value) && typeof value["type"] === "string" && isJsonObject(value["data"]);
}
