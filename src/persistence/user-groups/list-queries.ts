import { type Page, type PageRequest, toPage } from "../../domain/shared/pagination.js";
import { USER_GROUP_ORDER, type UserGroupFilter, type UserGroupSort } from "../../domain/user-groups/list.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { keysetsOf, pageName, pageTable, StatementValues } from "../shared/keyset.js";
import { countList, findRows, TENANT } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { filteredList } from "./list-filter.js";
import { readUserGroup, USER_GROUPS, type UserGroupRow, usedColumns, valuesAfterGroup } from "./row.js";

// Raw SQL: hot keyset pages, several in one statement.

const keysetOf = keysetsOf(USER_GROUPS, USER_GROUP_ORDER);

/** Lists a page of the tenant's groups that match a filter. */
export async function listUserGroups(
  db: TenantDb,
  filter: UserGroupFilter,
  order: UserGroupSort,
  page: PageRequest,
): Promise<Page<UserGroup>> {
  const keyset = keysetOf(order);
  const columns = usedColumns(USER_GROUPS.used(page.fields, keyset.column).unused);
  const selection = { name: USER_GROUPS.name, columns, rows: "text", keyset } as const;
  const rows = await findRows<UserGroupRow>(db, selection, page, filteredList(filter, keyset.column));
  return toPage(
    rows.map((row) => readUserGroup(db, row)),
    page,
  );
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
  const keyset = keysetOf(order);
  const { unused, suffix } = USER_GROUPS.used(first.fields, keyset.column);
  const values = new StatementValues();
  const requests = pageTable(USER_GROUPS.name, keyset, [first, ...others], values);
  const statement: Statement = {
    name: `user_group_pages_${pageName(keyset, first)}_${suffix}`,
    rows: "text",
    access: "read",
    text: `SELECT listed.*, page.place FROM ${requests.table} CROSS JOIN LATERAL (
        SELECT ${usedColumns(unused)} FROM ${USER_GROUPS.name}
        WHERE ${[...TENANT, ...requests.conditions].join(" AND ")} ${requests.orderAndLimit}
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
  const keyset = keysetOf(order);
  return pageName(keyset, page) + USER_GROUPS.used(page.fields, keyset.column).suffix;
}

export async function countUserGroups(db: TenantDb, filter: UserGroupFilter, max?: number): Promise<number> {
  return countList(db, USER_GROUPS.name, filteredList(filter), max);
}
