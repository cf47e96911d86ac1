import type { DataSourceRef } from "../data-sources/data-source.js";
import type { SortKey } from "../shared/page.js";
import type { UserGroup } from "./user-group.js";

/** What a list of groups may be sorted by; ties are settled by the id. */
export type UserGroupSortField = "teamId" | "providedId" | "name" | "createdAt" | "updatedAt";

/** The kinds of the values that groups are sorted by. */
export const USER_GROUP_SORT_KINDS: Readonly<Record<UserGroupSortField, SortKey["kind"]>> = {
  teamId: "id",
  providedId: "text",
  name: "text",
  createdAt: "time",
  updatedAt: "time",
};

export interface SortOrder<Field> {
  readonly field: Field;
  readonly direction: "ascending" | "descending";
}

export type UserGroupSort = SortOrder<UserGroupSortField>;

/** A stretch of time; either end may be open. The end itself does not belong to it. */
export interface TimeRange {
  readonly from?: Date;
  readonly to?: Date;
}

/** Which groups a list shows: those that meet every condition. */
export interface UserGroupFilter {
  readonly providedIds?: readonly string[];
  /** Part of the name, whatever its case. */
  readonly nameContains?: string;
  /** The beginning of the name, whatever its case. */
  readonly nameStartsWith?: string;
  /** Mapped to this data source; with `schemaId`, for that schema. */
  readonly dataSource?: DataSourceRef;
  readonly schemaId?: string;
  readonly createdAt?: TimeRange;
  readonly updatedAt?: TimeRange;
  /** What the properties must contain, in the sense of PostgreSQL's `@>`, as JSON text. */
  readonly properties?: string;
}

/** What a group is sorted by in a list with this order. */
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
