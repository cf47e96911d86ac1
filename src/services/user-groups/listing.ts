import type { Tenant } from "../../domain/accounts/caller.js";
import { getOrCreate } from "../../domain/shared/get-or-create.js";
import { isEmptyFilter, type Page, type PageRequest } from "../../domain/shared/pagination.js";
import {
  USER_GROUP_ORDER,
  type UserGroupFilter,
  type UserGroupSort,
  type UserGroupSortField,
} from "../../domain/user-groups/list.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import {
  countUserGroupsOfDataSources,
  listUserGroupsOfDataSources,
} from "../../persistence/user-groups/data-source-group-queries.js";
import { countHistories, listHistories } from "../../persistence/user-groups/history.js";
import {
  countUserGroups,
  listAllUserGroups,
  listUserGroups,
  shapeOfPage,
} from "../../persistence/user-groups/list-queries.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";
import type { ItemList } from "../shared/item-list.js";

/** Groups per statement: few, so that batching adds no noticeable latency and the largest groups, 64 KiB each, fit into memory. */
const MAX_GROUPS = 500;

export class Listing implements ItemList<UserGroup, UserGroupFilter, UserGroupSortField> {
  readonly order = USER_GROUP_ORDER;
  /** Batch loaders of unfiltered pages, by page shape. */
  readonly #unfiltered = new Map<string, BatchLoader<PageRequest, Page<UserGroup>>>();

  constructor(
    private readonly db: Database,
    private readonly batching: Batching,
  ) {}

  async page(
    tenant: Tenant,
    filter: UserGroupFilter,
    order: UserGroupSort,
    page: PageRequest,
  ): Promise<Page<UserGroup>> {
    if (!isEmptyFilter(filter)) return listUserGroups(this.db.for(tenant), filter, order, page);
    const load = async (scope: Tenant, pages: readonly PageRequest[]) =>
      listAllUserGroups(this.db.for(scope), order, pages);
    const limit = { max: MAX_GROUPS, sizeOf: ({ size }: PageRequest) => size };
    const create = () => new BatchLoader("user_group_pages", load, this.batching, limit);
    return getOrCreate(this.#unfiltered, shapeOfPage(order, page), create).load(tenant, page);
  }

  async count(tenant: Tenant, filter: UserGroupFilter): Promise<number> {
    return countUserGroups(this.db.for(tenant), filter);
  }

  /** Returns the same page of mapped groups per data source, in the order of the IDs, with one statement. */
  async ofDataSources(
    tenant: Tenant,
    dataSourceIds: readonly number[],
    page: PageRequest,
  ): Promise<Page<UserGroup>[]> {
    return listUserGroupsOfDataSources(this.db.for(tenant), dataSourceIds, page);
  }

  /** Returns the number of mapped groups per data source, in the order of the IDs. */
  async countOfDataSources(tenant: Tenant, dataSourceIds: readonly number[]): Promise<number[]> {
    return countUserGroupsOfDataSources(this.db.for(tenant), dataSourceIds);
  }

  /** Returns the same page of former values per user group, in the order of the IDs. */
  histories(tenant: Tenant, ids: readonly number[], page: PageRequest) {
    return listHistories(this.db.for(tenant), ids, page);
  }

  /** Returns the number of former values per user group, in the order of the IDs. */
  async countHistories(tenant: Tenant, ids: readonly number[]): Promise<number[]> {
    return countHistories(this.db.for(tenant), ids);
  }
}
