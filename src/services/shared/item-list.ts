import type { Tenant } from "../../domain/accounts/caller.js";
import type { ListOrder, Page, PageRequest, SortOrder } from "../../domain/shared/pagination.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantList } from "../../persistence/shared/select-page.js";

/** A list of a tenant's items. */
export interface ItemList<Item, Filter, Field extends string> {
  readonly order: ListOrder<keyof Item & string, Field>;
  page(tenant: Tenant, filter: Filter, order: SortOrder<Field>, page: PageRequest): Promise<Page<Item>>;
  /** Counts the items on all pages. */
  count(tenant: Tenant, filter: Filter): Promise<number>;
}

/** A list that is read without batching. */
export class StoredList<Item, Filter, Field extends string> implements ItemList<Item, Filter, Field> {
  constructor(
    private readonly db: Database,
    private readonly list: TenantList<Item, Filter, Field>,
  ) {}

  get order(): ListOrder<keyof Item & string, Field> {
    return this.list.order;
  }

  async page(
    tenant: Tenant,
    filter: Filter,
    order: SortOrder<Field>,
    page: PageRequest,
  ): Promise<Page<Item>> {
    return this.list.page(this.db.for(tenant), filter, order, page);
  }

  async count(tenant: Tenant, filter: Filter): Promise<number> {
    return this.list.count(this.db.for(tenant), filter);
  }

  /** Returns an item or null per ID, in the order of the IDs. */
  async byIds(tenant: Tenant, ids: readonly number[]): Promise<(Item | null)[]> {
    return this.list.byIds(this.db.for(tenant), ids);
  }
}
