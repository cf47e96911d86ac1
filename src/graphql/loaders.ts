import DataLoader from "dataloader";
import type { ApiKey } from "../domain/api-key.js";
import type { AuditEntry } from "../domain/audit-entry.js";
import type { Tenant } from "../domain/caller.js";
import type { DataSource } from "../domain/data-source.js";
import { DomainError } from "../domain/errors.js";
import type { MappedDataSource } from "../domain/mapping.js";
import type { Page, PageRequest } from "../domain/page.js";
import type { UserGroup } from "../domain/user-group.js";
import type { WebhookDelivery, WebhookEndpoint } from "../domain/webhook.js";
import type { Listing } from "../services/listing.js";
import type { Services } from "../services/services.js";
import { SiteConfigLoaders } from "./site-config-loaders.js";

/** How many groups, mapping entries, data sources and pages one reply may have. */
const MAX_ITEMS = 50_000;

/** So many bytes of a document count as one item. */
const BYTES_PER_ITEM = 256;

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
  readonly siteConfigs: SiteConfigLoaders;
  #spent = 0;
  readonly #listing: Listing;
  readonly #tenant: Tenant;
  readonly #userGroupPages = new Map<string, DataLoader<number, Page<UserGroup>>>();

  constructor(
    { userGroupReader, dataSources, listing, apiKeys, auditLog, siteConfigReader, webhooks }: Services,
    tenant: Tenant,
  ) {
    this.#listing = listing;
    this.#tenant = tenant;
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
    this.siteConfigs = new SiteConfigLoaders(siteConfigReader, tenant, (bytes) => this.spendBytes(bytes));
  }

  /** Loads one and the same page of the groups of many data sources. */
  userGroupsOfDataSources(page: PageRequest): DataLoader<number, Page<UserGroup>> {
    const key = JSON.stringify(page);
    const known = this.#userGroupPages.get(key);
    if (known) return known;
    const loader = new DataLoader((ids: readonly number[]) =>
      this.#listing.userGroupsOfDataSources(this.#tenant, ids, page),
    );
    this.#userGroupPages.set(key, loader);
    return loader;
  }

  /**
   * Counts what goes into the reply, of which mappings make up an unforeseeable part.
   * @throws DomainError `query_too_expensive` when it becomes too much
   */
  spend(items: number): void {
    this.#spent += items;
    if (this.#spent <= MAX_ITEMS) return;
    throw new DomainError("query_too_expensive", `The reply would have more than ${MAX_ITEMS} items.`, {
      figures: { limit: MAX_ITEMS },
    });
  }

  /** Counts a document that is read, or written. @throws DomainError as `spend` does */
  spendBytes(bytes: number): void {
    this.spend(Math.ceil(bytes / BYTES_PER_ITEM));
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
    this.#userGroupPages.clear();
    this.siteConfigs.clear();
  }
}
