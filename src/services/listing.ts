import type { Tenant } from "../domain/caller.js";
import type { DataSource } from "../domain/data-source.js";
import type { DataSourceFilter, DataSourceSortField } from "../domain/data-source-list.js";
import type { Page, PageRequest } from "../domain/page.js";
import type { UserGroup } from "../domain/user-group.js";
import type { SortOrder, UserGroupFilter, UserGroupSortField } from "../domain/user-group-list.js";
import {
  countDataSources,
  countUserGroupsOfDataSources,
  listDataSources,
  listUserGroupsOfDataSources,
} from "../persistence/data-source-list-queries.js";
import type { Database } from "../persistence/database.js";
import { countUserGroups, listUserGroups } from "../persistence/user-group-list-queries.js";

const EMPTY_PAGE: Page<UserGroup> = { items: [], hasMore: false };

/** Lists groups and data sources page by page. */
export class Listing {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** A page of the tenant's groups. */
  async userGroups(
    tenant: Tenant,
    filter: UserGroupFilter,
    order: SortOrder<UserGroupSortField>,
    page: PageRequest,
  ): Promise<Page<UserGroup>> {
    return listUserGroups(this.#db.of(tenant), tenant, filter, order, page);
  }

  async countUserGroups(tenant: Tenant, filter: UserGroupFilter): Promise<number> {
    return countUserGroups(this.#db.of(tenant), tenant, filter);
  }

  /** A page of the account's data sources. */
  async dataSources(
    tenant: Tenant,
    filter: DataSourceFilter,
    order: SortOrder<DataSourceSortField>,
    page: PageRequest,
  ): Promise<Page<DataSource>> {
    return listDataSources(this.#db.of(tenant), tenant, filter, order, page);
  }

  async countDataSources(tenant: Tenant, filter: DataSourceFilter): Promise<number> {
    return countDataSources(this.#db.of(tenant), tenant, filter);
  }

  /** The same page of the groups mapped to each of these data sources, in the order of the ids; one statement for all. */
  async userGroupsOfDataSources(
    tenant: Tenant,
    dataSourceIds: readonly number[],
    page: PageRequest,
  ): Promise<Page<UserGroup>[]> {
    const pages = await listUserGroupsOfDataSources(this.#db.of(tenant), tenant, dataSourceIds, page);
    return dataSourceIds.map((id) => pages.get(id) ?? EMPTY_PAGE);
  }

  /** How many groups are mapped to each of these data sources, in the order of the ids. */
  async countUserGroupsOfDataSources(tenant: Tenant, dataSourceIds: readonly number[]): Promise<number[]> {
    const counts = await countUserGroupsOfDataSources(this.#db.of(tenant), tenant, dataSourceIds);
    return dataSourceIds.map((id) => counts.get(id) ?? 0);
  }
}
