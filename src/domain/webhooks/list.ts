import type { SortKey } from "../shared/pagination.js";
import type { WebhookEndpoint } from "./webhook.js";

/** Sort fields for lists of webhook endpoints; ties are broken by ID. */
export type WebhookEndpointSortField = "createdAt" | "name";

/** The value type of each sort field. */
export const WEBHOOK_ENDPOINT_SORT_KINDS: Readonly<Record<WebhookEndpointSortField, SortKey["kind"]>> = {
  createdAt: "time",
  name: "text",
};

/** Conditions on listed webhook endpoints; all must hold. */
export interface WebhookEndpointFilter {
  readonly isEnabled?: boolean;
  /** Substring of the URL, case-insensitive. */
  readonly urlContains?: string;
}

/** Returns the value that a webhook endpoint is sorted by. */
export function sortValueOf(endpoint: WebhookEndpoint, field: WebhookEndpointSortField): string {
  return field === "name" ? endpoint.name : endpoint.createdAt.toISOString();
}
