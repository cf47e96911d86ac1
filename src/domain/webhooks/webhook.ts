import type { Environment } from "../accounts/environment.js";
import type { EncryptedToken } from "../accounts/token-vault.js";

/** What endpoints are told of: of the audit log's actions those that change what others read. */
export const WEBHOOK_EVENTS = [
  "user_group.created",
  "user_group.updated",
  "user_group.token_rotated",
  "user_group.deleted",
  "site_config.published",
  "webhook_endpoint.disabled",
] as const;

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const WEBHOOK_DELIVERY_STATES = ["pending", "delivered", "dead"] as const;

export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number];

/** Why an endpoint is disabled: by an admin, because it answered 410, or because every delivery failed for days. */
export const WEBHOOK_DISABLED_REASONS = ["admin", "gone", "failing"] as const;

export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number];

/** How an endpoint has answered. */
export interface WebhookEndpointHealth {
  /** Updated at least every ten seconds while deliveries succeed. */
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  /** Why the last failed attempt failed. */
  readonly lastError: string | null;
  /** The failed attempts since the last success. */
  readonly consecutiveFailures: number;
  /** The first of them. */
  readonly failingSince: Date | null;
  /** Until then nothing is sent, as too many attempts in a row have failed. */
  readonly pausedUntil: Date | null;
}

/** Where events of an environment are sent; its secret is shown only when it is made. */
export interface WebhookEndpoint {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  /** Empty for all. */
  readonly events: readonly WebhookEvent[];
  /** While it is set, no events are kept for the endpoint, and none are sent. */
  readonly disabledAt: Date | null;
  /** Null while the endpoint is enabled, or where it was disabled before reasons were recorded. */
  readonly disabledReason: WebhookDisabledReason | null;
  readonly health: WebhookEndpointHealth;
  readonly createdAt: Date;
}

/** What may be said about an endpoint. */
export interface WebhookEndpointFields {
  readonly name: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly enabled: boolean;
}

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
  readonly id: number;
  readonly endpointId: number;
  /** The same for every endpoint and every attempt. */
  readonly eventId: string;
  readonly event: WebhookEvent;
  /** What is sent, as JSON. */
  readonly payload: string;
  readonly state: WebhookDeliveryState;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  /** The HTTP status of the last attempt; null when there was none. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
}

/** Which deliveries a list shows: those that meet every condition. */
export interface WebhookDeliveryFilter {
  readonly endpointId?: number;
  readonly state?: WebhookDeliveryState;
}

/** A delivery that this process may attempt, and what it takes. */
export interface ClaimedDelivery {
  readonly accountId: number;
  readonly environment: Environment;
  readonly id: number;
  readonly endpointId: number;
  readonly eventId: string;
  readonly payload: string;
  /** This attempt counts. */
  readonly attempts: number;
  /** When others may attempt it as well. */
  readonly leasedUntil: Date;
  readonly url: string;
  /** The present secret first; a replaced one signs along for a while. */
  readonly secrets: readonly EncryptedToken[];
}
