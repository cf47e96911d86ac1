import { InputType } from "type-graphql";
import type { DataSourceFilter, DataSourceSortField } from "../../domain/data-sources/list.js";
import { createOrderInput, NamedItemFilter, parseNamedItemFilter } from "../shared/list-inputs.js";

export const DataSourceOrder = createOrderInput<DataSourceSortField>("DataSourceOrder", "data sources", {
  DATA_SOURCE_ID: ["dataSourceId", "Order by internal ID, which is the order of creation."],
  PROVIDED_ID: ["providedId", "Order by external ID, compared by code point."],
  NAME: ["name", "Order by name, compared by code point."],
  CREATED_AT: ["createdAt", "Order by time of creation."],
});

@InputType("DataSourceFilter", { description: "Filters data sources, which must meet all conditions." })
export class DataSourceFilterInput extends NamedItemFilter {}

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
export function parseDataSourceFilter(filter: DataSourceFilterInput | null | undefined): DataSourceFilter {
  return filter ? parseNamedItemFilter(filter) : {};
}
