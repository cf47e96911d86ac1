import type { DataSourceRef } from "../data-sources/data-source.js";
import { type ListOrder, NAMED_ITEM_SORT, type Sortable, type SortOrder } from "../shared/pagination.js";
import type { TimeRange } from "../shared/time-range.js";
import type { UserGroup } from "./user-group.js";

export const USER_GROUP_ORDER = {
  fields: {
    teamId: {
      property: "id",
      kind: "id",
      description: "Order by internal ID, which is approximately the order of creation.",
    },
    ...NAMED_ITEM_SORT,
    updatedAt: {
      property: "updatedAt",
      kind: "time",
      description:
        "Order by time of the last change. A user group that changes while you paginate moves in the list.",
    },
  },
  default: { field: "teamId", direction: "ascending" },
} as const satisfies ListOrder<Sortable<UserGroup>>;

export type UserGroupSortField = keyof typeof USER_GROUP_ORDER.fields;

export type UserGroupSort = SortOrder<UserGroupSortField>;

/** Conditions on listed groups; all must hold. */
export interface UserGroupFilter {
  readonly providedIds?: readonly string[];
  /** Words, each of which is a substring of the name or of the external ID, ignoring case and accents. */
  readonly search?: string;
  /** Substring of the name, case-insensitive. */
  readonly nameContains?: string;
  /** Prefix of the name, case-insensitive. */
  readonly nameStartsWith?: string;
  /** Prefix of the external ID, case-sensitive. */
  readonly providedIdStartsWith?: string;
  /** Mapped to this data source; with `schemaId`, for that schema. */
  readonly dataSource?: DataSourceRef;
  readonly schemaId?: string;
  /** Whether the mapping has entries. */
  readonly hasMapping?: boolean;
  readonly createdAt?: TimeRange;
  readonly updatedAt?: TimeRange;
  /** JSON text that the properties must contain, as defined by PostgreSQL's `@>`. */
  readonly properties?: string;
}
