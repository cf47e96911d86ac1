import { InputType } from "type-graphql";
import { DATA_SOURCE_ORDER, type DataSourceFilter } from "../../domain/data-sources/list.js";
import { createOrderInput, NamedItemFilter, parseNamedItemFilter } from "../shared/list-inputs.js";

export const DataSourceOrder = createOrderInput("DataSourceOrder", "data sources", DATA_SOURCE_ORDER);

@InputType("DataSourceFilter", { description: "Filters data sources, which must meet all conditions." })
export class DataSourceFilterInput extends NamedItemFilter {}

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
export function parseDataSourceFilter(filter: DataSourceFilterInput | null | undefined): DataSourceFilter {
  return filter ? parseNamedItemFilter(filter) : {};
}
