import type { SortKey } from "../shared/page.js";
import type { DataSource } from "./data-source.js";

/** What a list of data sources may be sorted by; ties are settled by the id. */
export type DataSourceSortField = "dataSourceId" | "providedId" | "name" | "createdAt";

/** The kinds of the values that data sources are sorted by. */
export const DATA_SOURCE_SORT_KINDS: Readonly<Record<DataSourceSortField, SortKey["kind"]>> = {
  dataSourceId: "id",
  providedId: "text",
  name: "text",
  createdAt: "time",
};

/** Which data sources a list shows: those that meet every condition. */
export interface DataSourceFilter {
  readonly providedIds?: readonly string[];
  /** Part of the name, whatever its case. */
  readonly nameContains?: string;
}

/** What a data source is sorted by in a list with this order. */
export function sortValueOf(source: DataSource, field: DataSourceSortField): string | number {
  switch (field) {
    case "dataSourceId":
      return source.id;
    case "providedId":
      return source.providedId;
    case "name":
      return source.name;
    case "createdAt":
      return source.createdAt.toISOString();
  }
}
