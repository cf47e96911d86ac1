import { InputType } from "type-graphql";
import type { DataSourceFilter, DataSourceSortField } from "../../domain/data-sources/list.js";
import { createOrderInput, NamedItemFilter, parseNamedItemFilter } from "../shared/list-inputs.js";

export const DataSourceOrder = createOrderInput<DataSourceSortField>("DataSourceOrder", "data sources", {
  DATA_SOURCE_ID: ["dataSourceId", "The internal id: the order of creation."],
  PROVIDED_ID: ["providedId", "Your own id, by code points."],
  NAME: ["name", "The name, by code points."],
  CREATED_AT: ["createdAt", "When the data source was created."],
});

@InputType("DataSourceFilter", { description: "Only data sources that meet all of these." })
export class DataSourceFilterInput extends NamedItemFilter {}

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
export function parseDataSourceFilter(filter: DataSourceFilterInput | null | undefined): DataSourceFilter {
  return filter ? parseNamedItemFilter(filter) : {};
}
