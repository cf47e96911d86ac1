import type { DataSource } from "../../domain/data-sources/data-source.js";
import type { DataSourceFilter, DataSourceSortField } from "../../domain/data-sources/list.js";
import type { Page, PageRequest } from "../../domain/shared/page.js";
import type { SortOrder } from "../../domain/user-groups/list.js";
import { escapeLike, type Keyset } from "../shared/keyset.js";
import { countList, type ListQuery, nameOfWhole, selectPage, tenantList } from "../shared/select-page.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { toDataSource } from "./entity.js";
import { DATA_SOURCE_COLUMNS } from "./queries.js";

const SORT_COLUMNS: Readonly<Record<DataSourceSortField, Omit<Keyset, "direction">>> = {
  dataSourceId: { column: "id", type: "integer", idColumn: "id" },
  providedId: { column: "provided_id", type: "text", idColumn: "provided_id" },
  name: { column: "name", type: "text", idColumn: "id" },
  createdAt: { column: "created_at", type: "timestamptz", idColumn: "id" },
};

/** A page of the tenant's data sources. */
export async function listDataSources(
  db: TenantDb,
  filter: DataSourceFilter,
  order: SortOrder<DataSourceSortField>,
  page: PageRequest,
): Promise<Page<DataSource>> {
  const keyset = { ...SORT_COLUMNS[order.field], direction: order.direction };
  const item = { columns: DATA_SOURCE_COLUMNS, toItem: toDataSource };
  return selectPage(db, listQuery(filter), item, keyset, page);
}

/** How many data sources a list with this filter has. */
export async function countDataSources(db: TenantDb, filter: DataSourceFilter): Promise<number> {
  return countList(db, listQuery(filter));
}

function listQuery(filter: DataSourceFilter): ListQuery {
  const { providedIds, nameContains } = filter;
  const { table, conditions: tenantConditions, values } = tenantList("data_source");
  const conditions = [
    ...tenantConditions,
    ...(providedIds ? [`provided_id = ANY (${values.add(providedIds)}::text[])`] : []),
    ...(nameContains === undefined
      ? []
      : [`name COLLATE "default" ILIKE ${values.add(`%${escapeLike(nameContains)}%`)}`]),
  ];
  return { table, conditions, values, ...nameOfWhole("data_source_list", filter) };
}
