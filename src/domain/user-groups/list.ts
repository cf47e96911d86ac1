import type { DataSourceRef } from "../data-sources/data-source.js";
import type { SortKey, SortOrder } from "../shared/pagination.js";
import type { TimeRange } from "../shared/time-range.js";
import type { UserGroup } from "./user-group.js";

/** Sort fields for lists of user groups; ties are broken by ID. */
export type UserGroupSortField = "teamId" | "providedId" | "name" | "createdAt" | "updatedAt";

/** The value type of each sort field. */
export const USER_GROUP_SORT_KINDS: Readonly<Record<UserGroupSortField, SortKey["kind"]>> = {
  teamId: "id",
  providedId: "text",
  name: "text",
  createdAt: "time",
  updatedAt: "time",
};

export type UserGroupSort = SortOrder<UserGroupSortField>;

/** Conditions on listed groups; all must hold. */
export interface UserGroupFilter {
  readonly providedIds?: readonly string[];
  /** Substring of the name or of the external ID, case-insensitive. */
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
  readonly createdAt?: TimeRange;
  readonly updatedAt?: TimeRange;
  /** JSON text that the properties must contain, as defined by PostgreSQL's `@>`. */
  readonly properties?: string;
}

/** Returns the value that a group is sorted by. */
export function sortValueOf(group: UserGroup, field: UserGroupSortField): string | number {
  switch (field) {
    case "teamId":
      return group.id;
    case "providedId":
      return group.providedId;
    case "name":
      return group.name;
    case "createdAt":
      return group.createdAt.toISOString();
    case "updatedAt":
      return group.updatedAt.toISOString();
  }
}
