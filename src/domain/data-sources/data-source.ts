import { type ListOrder, NAMED_ITEM_SORT, type Sortable } from "../shared/pagination.js";

/** A data source of one environment of an account. */
export interface DataSource {
  readonly id: number;
  readonly providedId: string;
  readonly name: string;
  /** Incremented by each change. */
  readonly version: number;
  readonly createdAt: Date;
}

/** Identifies one data source. */
export type DataSourceRef =
  | { readonly by: "id"; readonly id: number }
  | { readonly by: "providedId"; readonly providedId: string };

export const DATA_SOURCE_ORDER = {
  fields: {
    dataSourceId: {
      property: "id",
      kind: "id",
      description: "Order by internal ID, which is the order of creation.",
    },
    ...NAMED_ITEM_SORT,
  },
  default: { field: "dataSourceId", direction: "ascending" },
} as const satisfies ListOrder<Sortable<DataSource>>;

export type DataSourceSortField = keyof typeof DATA_SOURCE_ORDER.fields;

/** Conditions on listed data sources; all must hold. */
export interface DataSourceFilter {
  readonly providedIds?: readonly string[];
  /** Substring of the name, case-insensitive. */
  readonly nameContains?: string;
}
