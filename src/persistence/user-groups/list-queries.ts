import { type Page, type PageRequest, toPage } from "../../domain/shared/pagination.js";
import type { UserGroupFilter, UserGroupSort, UserGroupSortField } from "../../domain/user-groups/list.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { keysetOf, pageName, pageTable, type SortColumns } from "../shared/keyset.js";
import { countList, findPage, tenantList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { filteredList } from "./list-filter.js";
import { readUserGroup, USER_GROUP_COLUMNS, type UserGroupRow, valuesAfterGroup } from "./row.js";

// Raw SQL: hot keyset pages, several in one statement.

const TABLE = { name: "user_group" };
const SORT_COLUMNS: SortColumns<UserGroupSortField> = {
  teamId: { column: "id", type: "bigint", idColumn: "id" },
  providedId: { column: "provided_id", type: "text", idColumn: "provided_id" },
  name: { column: "name", type: "text", idColumn: "id" },
  createdAt: { column: "created_at", type: "timestamptz", idColumn: "id" },
  updatedAt: { column: "updated_at", type: "timestamptz", idColumn: "id" },
};

/** Lists a page of the tenant's groups that match a filter. */
export async function listUserGroups(
  db: TenantDb,
  filter: UserGroupFilter,
  order: UserGroupSort,
  page: PageRequest,
): Promise<Page<UserGroup>> {
  const toItem = (row: UserGroupRow) => readUserGroup(db, row);
  const keyset = keysetOf(SORT_COLUMNS, order);
  const table = { name: TABLE.name, columns: USER_GROUP_COLUMNS, rows: "text", toItem, keyset } as const;
  return findPage(db, table, page, filteredList(filter, keyset.column));
}

/**
 * Lists several pages of all groups of the tenant with one statement, in the order of the requests.
 * @param pages must all have the same `shapeOfPage`
 */
export async function listAllUserGroups(
  db: TenantDb,
  order: UserGroupSort,
  pages: readonly PageRequest[],
): Promise<Page<UserGroup>[]> {
  const [first, ...others] = pages;
  if (!first) return [];
  const keyset = keysetOf(SORT_COLUMNS, order);
  const { conditions, values } = tenantList({});
  const requests = pageTable(TABLE.name, keyset, [first, ...others], values);
  const statement: Statement = {
    name: `user_group_pages_${pageName(keyset, first)}`,
    rows: "text",
    access: "read",
    text: `SELECT listed.*, page.place FROM ${requests.table} CROSS JOIN LATERAL (
        SELECT ${USER_GROUP_COLUMNS} FROM ${TABLE.name}
        WHERE ${[...conditions, ...requests.conditions].join(" AND ")} ${requests.orderAndLimit}
      ) AS listed`,
  };
  const rows = await db.run<UserGroupRow<[place: string]>>(statement, values.list);
  const listed = pages.map((): UserGroup[] => []);
  for (const row of rows) {
    const [place] = valuesAfterGroup(row);
    listed[Number(place) - 1]?.push(readUserGroup(db, row));
  }
  return pages.map((page, index) => toPage(listed[index] ?? [], page));
}

/** Returns a key that is equal for pages that one statement can read. */
export function shapeOfPage(order: UserGroupSort, page: PageRequest): string {
  return pageName(keysetOf(SORT_COLUMNS, order), page);
}

export async function countUserGroups(db: TenantDb, filter: UserGroupFilter): Promise<number> {
  return countList(db, TABLE, filteredList(filter));
}
