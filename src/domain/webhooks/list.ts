import type { ListOrder, Sortable } from "../shared/pagination.js";
import type { WebhookDelivery, WebhookDeliveryState, WebhookEndpoint } from "./webhook.js";

export const WEBHOOK_ENDPOINT_ORDER = {
  fields: {
    createdAt: { property: "createdAt", kind: "time", description: "Order by time of creation." },
    name: { property: "name", kind: "text", description: "Order by name, compared by code point." },
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
}
