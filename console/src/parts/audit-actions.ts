import type { AuditAction } from "../api/generated/operations.js";

/** Labels of audit actions. A new action does not compile without one. */
export const ACTIONS: Readonly<Record<AuditAction, string>> = {
  USER_GROUP_CREATED: "Group created",
  USER_GROUP_UPDATED: "Group changed",
  USER_GROUP_TOKEN_ROTATED: "Group token rotated",
  USER_GROUP_EMBED_SESSION_CREATED: "Embed session created",
  USER_GROUP_DELETED: "Group deleted",
  DATA_SOURCE_CREATED: "Data source created",
  DATA_SOURCE_UPDATED: "Data source changed",
  DATA_SOURCE_DELETED: "Data source deleted",
  SITE_CONFIG_PUBLISHED: "Site configuration saved",
  SITE_CONFIG_OPENED: "Site made public",
  SITE_CONFIG_CLOSED: "Site made private",
  SITE_CONFIG_DELETED: "Site deleted",
  API_KEY_CREATED: "API key created",
  API_KEY_REVOKED: "API key revoked",
  WEBHOOK_ENDPOINT_CREATED: "Webhook endpoint created",
  WEBHOOK_ENDPOINT_UPDATED: "Webhook endpoint changed",
  WEBHOOK_ENDPOINT_DISABLED: "Webhook endpoint disabled",
  WEBHOOK_ENDPOINT_DELETED: "Webhook endpoint deleted",
  SESSION_TEMPLATE_CREATED: "Session template created",
  SESSION_TEMPLATE_UPDATED: "Session template changed",
  SESSION_TEMPLATE_DELETED: "Session template deleted",
  PROPERTY_SCHEMA_UPDATED: "Schema for properties changed",
};

/** The actions that change something. Embed sessions do not, and there may be one for each page view. */
export const CHANGES = Object.keys(ACTIONS).filter(
  (action): action is AuditAction => action !== "USER_GROUP_EMBED_SESSION_CREATED",
);
