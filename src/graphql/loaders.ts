import DataLoader from "dataloader";
import type { ApiKey } from "../domain/api-key.js";
import type { AuditEntry } from "../domain/audit-entry.js";
import type { Tenant } from "../domain/caller.js";
import type { DataSource } from "../domain/data-source.js";
import type { MappedDataSource } from "../domain/mapping.js";
import type { UserGroup } from "../domain/user-group.js";
import type { WebhookDelivery, WebhookEndpoint } from "../domain/webhook.js";
import type { Services } from "../services/services.js";
import { PageLoaders } from "./page-loaders.js";
import { ReplyBudget } from "./reply-budget.js";
import { SiteConfigLoaders } from "./site-config-loaders.js";

/**
 * What one request loads for one tenant. What is asked for in the same turn goes to the database as one statement; what was
 * loaded is kept until the request ends or a mutation changes something.
 */
export class Loaders {
  readonly userGroupsById: DataLoader<number, UserGroup | null>;
  readonly userGroupsByProvidedId: DataLoader<string, UserGroup | null>;
  readonly userGroupsByToken: DataLoader<string, UserGroup | null>;
  readonly mappings: DataLoader<number, readonly MappedDataSource[]>;
  readonly dataSourcesById: DataLoader<number, DataSource | null>;
  readonly dataSourcesByProvidedId: DataLoader<string, DataSource | null>;
  readonly apiKeysById: DataLoader<number, ApiKey | null>;
  readonly auditEntriesById: DataLoader<number, AuditEntry | null>;
  readonly webhookEndpointsById: DataLoader<number, WebhookEndpoint | null>;
  readonly webhookDeliveriesById: DataLoader<number, WebhookDelivery | null>;
  readonly userGroupCountsOfDataSources: DataLoader<number, number>;
  readonly userGroupsOfDataSources: PageLoaders<UserGroup>;
  readonly siteConfigs: SiteConfigLoaders;
  readonly budget = new ReplyBudget();

  constructor(
    { userGroupReader, dataSources, listing, apiKeys, auditLog, siteConfigReader, webhooks }: Services,
    tenant: Tenant,
  ) {
    this.userGroupsById = new DataLoader((ids) => userGroupReader.byIds(tenant, ids));
    this.userGroupsByProvidedId = new DataLoader((ids) => userGroupReader.byProvidedIds(tenant, ids));
    this.userGroupsByToken = new DataLoader((tokens) => userGroupReader.byTokens(tenant, tokens));
    this.mappings = new DataLoader((ids) => userGroupReader.mappings(tenant, ids));
    this.dataSourcesById = new DataLoader((ids) => dataSources.byIds(tenant, ids));
    this.apiKeysById = new DataLoader((ids) => apiKeys.byIds(tenant, ids));
    this.auditEntriesById = new DataLoader((ids) => auditLog.byIds(tenant, ids));
    this.webhookEndpointsById = new DataLoader((ids) => webhooks.byIds(tenant, ids));
    this.webhookDeliveriesById = new DataLoader((ids) => webhooks.deliveriesByIds(tenant, ids));
    this.userGroupCountsOfDataSources = new DataLoader((ids) =>
      listing.countUserGroupsOfDataSources(tenant, ids),
    );
    this.dataSourcesByProvidedId = new DataLoader((ids) => dataSources.byProvidedIds(tenant, ids));
    this.userGroupsOfDataSources = new PageLoaders((ids, page) =>
      listing.userGroupsOfDataSources(tenant, ids, page),
    );
    this.siteConfigs = new SiteConfigLoaders(siteConfigReader, tenant, this.budget);
  }

  /** Forgets everything, so that what follows reads what a mutation wrote. */
  clear(): void {
    this.userGroupsById.clearAll();
    this.userGroupsByProvidedId.clearAll();
    this.userGroupsByToken.clearAll();
    this.mappings.clearAll();
    this.dataSourcesById.clearAll();
    this.dataSourcesByProvidedId.clearAll();
    this.apiKeysById.clearAll();
    this.auditEntriesById.clearAll();
    this.webhookEndpointsById.clearAll();
    this.webhookDeliveriesById.clearAll();
    this.userGroupCountsOfDataSources.clearAll();
    this.userGroupsOfDataSources.clear();
    this.siteConfigs.clear();
  }
}
