import type { WebhookEvent } from "../api/generated/operations.js";

/** Labels of events. A new event does not compile without one. */
export const EVENTS: Readonly<Record<WebhookEvent, string>> = {
  USER_GROUP_CREATED: "Group created",
  USER_GROUP_UPDATED: "Group changed",
  USER_GROUP_TOKEN_ROTATED: "Group token rotated",
  USER_GROUP_DELETED: "Group deleted",
  SITE_CONFIG_PUBLISHED: "Site configuration saved",
  WEBHOOK_ENDPOINT_DISABLED: "Webhook endpoint disabled",
  WEBHOOK_ENDPOINT_TEST: "Test event",
};

/** The events that an endpoint can be limited to. A test event is always sent. */
export const CHOICES: readonly WebhookEvent[] = [
  "USER_GROUP_CREATED",
  "USER_GROUP_UPDATED",
  "USER_GROUP_TOKEN_ROTATED",
  "USER_GROUP_DELETED",
  "SITE_CONFIG_PUBLISHED",
  "WEBHOOK_ENDPOINT_DISABLED",
];

export function eventNames(events: readonly WebhookEvent[]): string {
  return events.length === 0 ? "All\u00a0events" : events.map((event) => EVENTS[event]).join(", ");
}
