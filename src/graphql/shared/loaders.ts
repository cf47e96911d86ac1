import DataLoader from "dataloader";
import type { ApiKey } from "../../domain/accounts/api-key.js";
import type { Tenant } from "../../domain/accounts/caller.js";
import type { AuditEntry } from "../../domain/audit/audit-entry.js";
import type { DataSource } from "../../domain/data-sources/data-source.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { WebhookDelivery, WebhookEndpoint } from "../../domain/webhooks/webhook.js";
import type { Services } from "../../services/services.js";
import { SiteConfigWork } from "../../services/site-configs/site-config-work.js";
import { SiteConfigLoaders } from "../site-configs/site-config-loaders.js";
import { PageLoaders } from "./page-loaders.js";
import { ReplyBudget } from "./reply-budget.js";

/**
 * What one request loads for one tenant. What is asked for in the same turn goes to the database as one statement; what was
 * loaded is kept until the request ends or a mutation changes something. A request needs few of the loaders: each is made when it is
 * first asked for.
 */
export class Loaders {
  readonly budget: ReplyBudget;
  readonly #services: Services;
  readonly #tenant: Tenant;
  /** Aborts when the client has gone. */
  readonly signal: (() => AbortSignal) | undefined;
  readonly #clear: (() => void)[] = [];
  #userGroupsById: DataLoader<number, UserGroup | null> | undefined;
  #userGroupsByProvidedId: DataLoader<string, UserGroup | null> | undefined;
  #userGroupsByToken: DataLoader<string, UserGroup | null> | undefined;
  #mappings: DataLoader<number, readonly MappedDataSource[]> | undefined;
  #dataSourcesById: DataLoader<number, DataSource | null> | undefined;
  #dataSourcesByProvidedId: DataLoader<string, DataSource | null> | undefined;
  #apiKeysById: DataLoader<number, ApiKey | null> | undefined;
  #auditEntriesById: DataLoader<number, AuditEntry | null> | undefined;
  #webhookEndpointsById: DataLoader<number, WebhookEndpoint | null> | undefined;
  #webhookDeliveriesById: DataLoader<number, WebhookDelivery | null> | undefined;
  #pendingDeliveryCounts: DataLoader<number, number> | undefined;
  #userGroupCountsOfDataSources: DataLoader<number, number> | undefined;
  #userGroupsOfDataSources: PageLoaders<UserGroup> | undefined;
  #siteConfigs: SiteConfigLoaders | undefined;

  constructor(
    services: Services,
    tenant: Tenant,
    {
      budget = new ReplyBudget(),
      signal,
    }: { readonly budget?: ReplyBudget; readonly signal?: (() => AbortSignal) | undefined } = {},
  ) {
    this.budget = budget;
    this.#services = services;
    this.#tenant = tenant;
    this.signal = signal;
  }

  get userGroupsById(): DataLoader<number, UserGroup | null> {
    this.#userGroupsById ??= this.#loader((ids) => this.#services.userGroupReader.byIds(this.#tenant, ids));
    return this.#userGroupsById;
  }

  get userGroupsByProvidedId(): DataLoader<string, UserGroup | null> {
    this.#userGroupsByProvidedId ??= this.#loader((ids) =>
      this.#services.userGroupReader.byProvidedIds(this.#tenant, ids),
    );
    return this.#userGroupsByProvidedId;
  }

  get userGroupsByToken(): DataLoader<string, UserGroup | null> {
    this.#userGroupsByToken ??= this.#loader((tokens) =>
      this.#services.userGroupReader.byTokens(this.#tenant, tokens),
    );
    return this.#userGroupsByToken;
  }

  get mappings(): DataLoader<number, readonly MappedDataSource[]> {
    this.#mappings ??= this.#loader((ids) => this.#services.userGroupReader.mappings(this.#tenant, ids));
    return this.#mappings;
  }

  get dataSourcesById(): DataLoader<number, DataSource | null> {
    this.#dataSourcesById ??= this.#loader((ids) => this.#services.dataSources.byIds(this.#tenant, ids));
    return this.#dataSourcesById;
  }

  get dataSourcesByProvidedId(): DataLoader<string, DataSource | null> {
    this.#dataSourcesByProvidedId ??= this.#loader((ids) =>
      this.#services.dataSources.byProvidedIds(this.#tenant, ids),
    );
    return this.#dataSourcesByProvidedId;
  }

  get apiKeysById(): DataLoader<number, ApiKey | null> {
    this.#apiKeysById ??= this.#loader((ids) => this.#services.apiKeys.byIds(this.#tenant, ids));
    return this.#apiKeysById;
  }

  get auditEntriesById(): DataLoader<number, AuditEntry | null> {
    this.#auditEntriesById ??= this.#loader((ids) => this.#services.auditLog.byIds(this.#tenant, ids));
    return this.#auditEntriesById;
  }

  get webhookEndpointsById(): DataLoader<number, WebhookEndpoint | null> {
    this.#webhookEndpointsById ??= this.#loader((ids) => this.#services.webhooks.byIds(this.#tenant, ids));
    return this.#webhookEndpointsById;
  }

  get webhookDeliveriesById(): DataLoader<number, WebhookDelivery | null> {
    this.#webhookDeliveriesById ??= this.#loader((ids) =>
      this.#services.webhooks.deliveriesByIds(this.#tenant, ids),
    );
    return this.#webhookDeliveriesById;
  }

  get pendingDeliveryCounts(): DataLoader<number, number> {
    this.#pendingDeliveryCounts ??= this.#loader((ids) =>
      this.#services.webhooks.countPending(this.#tenant, ids),
    );
    return this.#pendingDeliveryCounts;
  }

  get userGroupCountsOfDataSources(): DataLoader<number, number> {
    this.#userGroupCountsOfDataSources ??= this.#loader((ids) =>
      this.#services.listing.countUserGroupsOfDataSources(this.#tenant, ids),
    );
    return this.#userGroupCountsOfDataSources;
  }

  get userGroupsOfDataSources(): PageLoaders<UserGroup> {
    this.#userGroupsOfDataSources ??= new PageLoaders((ids, page) =>
      this.#services.listing.userGroupsOfDataSources(this.#tenant, ids, page),
    );
    return this.#userGroupsOfDataSources;
  }

  get siteConfigs(): SiteConfigLoaders {
    if (this.#siteConfigs) return this.#siteConfigs;
    const { siteConfigReader, siteConfigThread } = this.#services;
    const work = new SiteConfigWork(siteConfigThread, { budget: this.budget, signal: this.signal });
    this.#siteConfigs = new SiteConfigLoaders(siteConfigReader, this.#tenant, this.budget, work);
    return this.#siteConfigs;
  }

  /** Forgets everything, so that what follows reads what a mutation wrote. */
  clear(): void {
    for (const clear of this.#clear) clear();
    this.#userGroupsOfDataSources?.clear();
    this.#siteConfigs?.clear();
  }

  #loader<Key, Value>(
    load: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>,
  ): DataLoader<Key, Value> {
    const loader = new DataLoader(load);
    this.#clear.push(() => loader.clearAll());
    return loader;
  }
}
