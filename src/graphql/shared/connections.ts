import type { ApiKey } from "../../domain/accounts/api-key.js";
import type { AuditEntry } from "../../domain/audit/audit-entry.js";
import type { DataSource } from "../../domain/data-sources/data-source.js";
import type { SiteConfig, SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { WebhookDelivery, WebhookEndpoint } from "../../domain/webhooks/webhook.js";
import { ApiKeyView } from "../accounts/api-key-types.js";
import { AuditEntryView } from "../audit/audit-types.js";
import { DataSourceView } from "../data-sources/data-source-type.js";
import { SiteConfigRevisionView, SiteConfigView } from "../site-configs/site-config-type.js";
import { UserGroupView } from "../user-groups/user-group-type.js";
import { WebhookDeliveryView, WebhookEndpointView } from "../webhooks/webhook-types.js";
import { createConnectionType } from "./connection-type.js";

export const ApiKeyConnection = createConnectionType(
  "ApiKey",
  ApiKeyView,
  (key: ApiKey) => new ApiKeyView(key),
);

export const AuditEntryConnection = createConnectionType(
  "AuditEntry",
  AuditEntryView,
  (entry: AuditEntry) => new AuditEntryView(entry),
);

export const SiteConfigConnection = createConnectionType(
  "SiteConfig",
  SiteConfigView,
  (siteConfig: SiteConfig) => new SiteConfigView(siteConfig),
);

export const SiteConfigRevisionConnection = createConnectionType(
  "SiteConfigRevision",
  SiteConfigRevisionView,
  (revision: SiteConfigRevision) => new SiteConfigRevisionView(revision),
);

export const UserGroupConnection = createConnectionType(
  "UserGroup",
  UserGroupView,
  (group: UserGroup) => new UserGroupView(group),
);

export const DataSourceConnection = createConnectionType(
  "DataSource",
  DataSourceView,
  (source: DataSource) => new DataSourceView(source),
);

export const WebhookEndpointConnection = createConnectionType(
  "WebhookEndpoint",
  WebhookEndpointView,
  (endpoint: WebhookEndpoint) => new WebhookEndpointView(endpoint),
);

export const WebhookDeliveryConnection = createConnectionType(
  "WebhookDelivery",
  WebhookDeliveryView,
  (delivery: WebhookDelivery) => new WebhookDeliveryView(delivery),
);
