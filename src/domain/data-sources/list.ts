import type { SortKey } from "../shared/pagination.js";
import type { DataSource } from "./data-source.js";

/** Sort fields for lists of data sources; ties are broken by ID. */
export type DataSourceSortField = "dataSourceId" | "providedId" | "name" | "createdAt";

/** The value type of each sort field. */
export const DATA_SOURCE_SORT_KINDS: Readonly<Record<DataSourceSortField, SortKey["kind"]>> = {
  dataSourceId: "id",
  providedId: "text",
  name: "text",
  createdAt: "time",
};

/** Conditions on listed data sources; all must hold. */
export interface DataSourceFilter {
  readonly providedIds?: readonly string[];
  /** Substring of the name, case-insensitive. */
  readonly nameContains?: string;
}

/** Returns the value that a data source is sorted by. */
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
