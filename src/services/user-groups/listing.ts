import type { Tenant } from "../../domain/accounts/caller.js";
import type { DataSource } from "../../domain/data-sources/data-source.js";
import type { DataSourceFilter, DataSourceSortField } from "../../domain/data-sources/list.js";
import {
  isEmptyFilter,
  type Page,
  type PageRequest,
  type SortOrder,
} from "../../domain/shared/pagination.js";
import type { UserGroupFilter, UserGroupSort } from "../../domain/user-groups/list.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { dataSourceList, dataSourcesBy } from "../../persistence/data-sources/queries.js";
import type { Database } from "../../persistence/database/database.js";
import { countList, findPage } from "../../persistence/shared/select-page.js";
import {
  countUserGroupsOfDataSources,
  listUserGroupsOfDataSources,
} from "../../persistence/user-groups/data-source-group-queries.js";
import {
  countUserGroups,
  listAllUserGroups,
  listUserGroups,
  shapeOfPage,
} from "../../persistence/user-groups/list-queries.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";

const EMPTY_PAGE: Page<UserGroup> = { items: [], hasMore: false };

/** Pages per statement; small, so that batching adds no noticeable latency. */
const MAX_PAGES = 16;

export class Listing {
  readonly #db: Database;
  readonly #batching: Batching;
  /** Batch loaders of unfiltered group pages, by page shape. */
  readonly #userGroups = new Map<string, BatchLoader<PageRequest, Page<UserGroup>>>();

  constructor(db: Database, batching: Batching) {
    this.#db = db;
    this.#batching = batching;
  }

  async userGroups(
    tenant: Tenant,
    filter: UserGroupFilter,
    order: UserGroupSort,
    page: PageRequest,
  ): Promise<Page<UserGroup>> {
    if (!isEmptyFilter(filter)) return listUserGroups(this.#db.for(tenant), filter, order, page);
    return this.#allUserGroups(order, page).load(tenant, page);
  }

  #allUserGroups(order: UserGroupSort, page: PageRequest): BatchLoader<PageRequest, Page<UserGroup>> {
    const shape = shapeOfPage(order, page);
    const existing = this.#userGroups.get(shape);
    if (existing) return existing;
    const loader = new BatchLoader<PageRequest, Page<UserGroup>>(
      "user_group_pages",
      async (tenant, pages) => listAllUserGroups(this.#db.for(tenant), order, pages),
      this.#batching,
      MAX_PAGES,
    );
    this.#userGroups.set(shape, loader);
    return loader;
  }

  async countUserGroups(tenant: Tenant, filter: UserGroupFilter): Promise<number> {
    return countUserGroups(this.#db.for(tenant), filter);
  }

  async dataSources(
    tenant: Tenant,
    filter: DataSourceFilter,
    order: SortOrder<DataSourceSortField>,
    page: PageRequest,
  ): Promise<Page<DataSource>> {
    return findPage(this.#db.for(tenant), dataSourcesBy(order), page, dataSourceList(filter));
  }

  async countDataSources(tenant: Tenant, filter: DataSourceFilter): Promise<number> {
    return countList(this.#db.for(tenant), { name: "data_source" }, dataSourceList(filter));
  }

  /** Returns the same page of mapped groups per data source, in the order of the IDs, with one statement. */
  async userGroupsOfDataSources(
    tenant: Tenant,
    dataSourceIds: readonly number[],
    page: PageRequest,
  ): Promise<Page<UserGroup>[]> {
    const pages = await listUserGroupsOfDataSources(this.#db.for(tenant), dataSourceIds, page);
    return dataSourceIds.map((id) => pages.get(id) ?? EMPTY_PAGE);
  }

  /** Returns the number of mapped groups per data source, in the order of the IDs. */
  async countUserGroupsOfDataSources(tenant: Tenant, dataSourceIds: readonly number[]): Promise<number[]> {
    const counts = await countUserGroupsOfDataSources(this.#db.for(tenant), dataSourceIds);
    return dataSourceIds.map((id) => counts.get(id) ?? 0);
  }
}
