import type { Environment } from "../accounts/environment.js";
import type { EncryptedToken } from "../accounts/token-vault.js";
import { AUDIT_ACTIONS, type AuditAction } from "../audit/entry.js";
import { type ListOrder, NAMED_ITEM_SORT, type Sortable } from "../shared/pagination.js";

/** The event that an admin sends to try an endpoint. It is sent whatever events the endpoint receives. */
export const TEST_EVENT = "webhook_endpoint.test";

/** A value of the audit entry, or the global ID of its subject. */
export type EventValue = "globalId" | "subjectId" | "subjectName" | "version" | "changed";

const USER_GROUP_FIELDS = {
  id: "globalId",
  teamId: "subjectId",
  providedId: "subjectName",
  version: "version",
  changed: "changed",
} as const;

/**
 * The fields of each webhook event's object. The events are the audit actions that change what other clients read; their subject is the
 * object.
 */
export const EVENT_FIELDS = {
  "user_group.created": USER_GROUP_FIELDS,
  "user_group.updated": USER_GROUP_FIELDS,
  "user_group.token_rotated": USER_GROUP_FIELDS,
  "user_group.deleted": USER_GROUP_FIELDS,
  "site_config.published": { id: "globalId", site: "subjectName", revision: "version" },
  "webhook_endpoint.disabled": { id: "globalId" },
} as const satisfies Partial<Record<AuditAction, Readonly<Record<string, EventValue>>>>;

/** The type of a webhook event. */
export type WebhookEvent = keyof typeof EVENT_FIELDS;

export const WEBHOOK_EVENTS = AUDIT_ACTIONS.filter(
  (action): action is WebhookEvent => action in EVENT_FIELDS,
);

export const WEBHOOK_DELIVERY_STATES = ["pending", "delivered", "dead"] as const;

export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number];

/** Why an endpoint is disabled: by an admin, because it answered 410, or because every delivery failed for days. */
const WEBHOOK_DISABLED_REASONS = ["admin", "gone", "failing"] as const;

export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number];

/** Delivery health of an endpoint. */
export interface WebhookEndpointHealth {
  /** Written at most once every ten seconds while deliveries succeed. */
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  /** The error of the last failed attempt. */
  readonly lastError: string | null;
  /** Number of failed attempts since the last success. */
  readonly consecutiveFailures: number;
  /** Time of the first of these failures. */
  readonly failingSince: Date | null;
  /** No attempts before this time, because too many consecutive ones failed. */
  readonly pausedUntil: Date | null;
}

/** A webhook endpoint. Its secret is shown only on creation. */
export interface WebhookEndpoint {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  /** Empty for all events. */
  readonly events: readonly WebhookEvent[];
  /** While set, no events are stored or sent for the endpoint. */
  readonly disabledAt: Date | null;
  /** Null while the endpoint is enabled, or where it was disabled before reasons were recorded. */
  readonly disabledReason: WebhookDisabledReason | null;
  readonly health: WebhookEndpointHealth;
  /** Incremented by each change of a field that can be edited; not by deliveries, pauses and new secrets. */
  readonly version: number;
  readonly createdAt: Date;
}

/** The editable fields of an endpoint. */
export interface WebhookEndpointFields {
  readonly name: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly enabled: boolean;
}

/** The delivery of one event to one endpoint. */
export interface WebhookDelivery {
  readonly id: number;
  readonly endpointId: number;
  /** Identical for all endpoints and attempts. */
  readonly eventId: string;
  readonly event: WebhookEvent | typeof TEST_EVENT;
  /** The request body, as JSON. */
  readonly payload: string;
  readonly state: WebhookDeliveryState;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  /** HTTP status of the last attempt; null if none was received. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
}

/** A delivery leased by this process, with the data for an attempt. */
export interface ClaimedDelivery {
  readonly accountId: number;
  readonly environment: Environment;
  readonly id: number;
  readonly endpointId: number;
  readonly eventId: string;
  /** The object that the event is about, such as `user_group:7`: its events are sent one after the other. */
  readonly subject: string;
  readonly payload: string;
  /** Includes the current attempt. */
  readonly attempts: number;
  /** When the current attempt was due. */
  readonly dueAt: Date;
  /** When the lease expires and other processes may attempt the delivery. */
  readonly leasedUntil: Date;
  readonly url: string;
  /** The current secret first; a replaced one also signs for a transition period. */
  readonly secrets: readonly EncryptedToken[];
}

export const WEBHOOK_ENDPOINT_ORDER = {
  fields: {
    createdAt: NAMED_ITEM_SORT.createdAt,
    name: NAMED_ITEM_SORT.name,
  },
  default: { field: "createdAt", direction: "ascending" },
} as const satisfies ListOrder<Sortable<WebhookEndpoint>>;

export type WebhookEndpointSortField = keyof typeof WEBHOOK_ENDPOINT_ORDER.fields;

/** Conditions on listed webhook endpoints; all must hold. */
export interface WebhookEndpointFilter {
  readonly isEnabled?: boolean;
  /** Substring of the URL, case-insensitive. */
  readonly urlContains?: string;
}

export const WEBHOOK_DELIVERY_ORDER = {
  fields: { webhookDelivery: { property: "id", kind: "id" } },
  default: { field: "webhookDelivery", direction: "descending" },
} as const satisfies ListOrder<Sortable<WebhookDelivery>>;

export type WebhookDeliverySortField = keyof typeof WEBHOOK_DELIVERY_ORDER.fields;

/** Conditions on listed deliveries; all must hold. */
export interface WebhookDeliveryFilter {
  readonly endpointId?: number;
  readonly state?: WebhookDeliveryState;
  /** Whether the last attempt failed; attempts before a replay do not count. */
  readonly lastAttemptFailed?: boolean;
}
