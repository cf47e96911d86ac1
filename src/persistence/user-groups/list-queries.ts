import type { DataSourceRef } from "../../domain/data-sources/data-source.js";
import { type Page, type PageRequest, toPage } from "../../domain/shared/pagination.js";
import type { UserGroupFilter, UserGroupSort, UserGroupSortField } from "../../domain/user-groups/list.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import {
  escapeLike,
  inRange,
  keysetOf,
  pageName,
  pageTable,
  type SortColumns,
  type StatementValues,
  startsWith,
} from "../shared/keyset.js";
import { countList, findPage, type ListQuery, tenantList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
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
  const table = {
    name: TABLE.name,
    columns: USER_GROUP_COLUMNS,
    rows: "text",
    toItem,
    keyset: keysetOf(SORT_COLUMNS, order),
  } as const;
  return findPage(db, table, page, listQuery(filter));
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
  const { conditions, values } = listQuery({});
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
  return countList(db, TABLE, listQuery(filter));
}

function listQuery(filter: UserGroupFilter): ListQuery {
  const {
    providedIds,
    search,
    nameContains,
    nameStartsWith,
    providedIdStartsWith,
    dataSource,
    schemaId,
    properties,
  } = filter;
  // The default collation is case-insensitive for non-ASCII letters; "C" is not.
  const name = `name COLLATE "default" ILIKE`;
  const id = `provided_id COLLATE "default" ILIKE`;
  return tenantList({}, (values) => [
    providedIds && `provided_id = ANY (${values.add(providedIds)}::text[])`,
    search !== undefined && anyContains([name, id], values.add(`%${escapeLike(search)}%`)),
    nameContains !== undefined && `${name} ${values.add(`%${escapeLike(nameContains)}%`)}`,
    nameStartsWith !== undefined && `${name} ${values.add(`${escapeLike(nameStartsWith)}%`)}`,
    providedIdStartsWith !== undefined && startsWith("provided_id", providedIdStartsWith, values),
    ...inRange("created_at", filter.createdAt, values),
    ...inRange("updated_at", filter.updatedAt, values),
    properties && `properties::jsonb @> ${values.add(properties)}::jsonb`,
    (dataSource || schemaId !== undefined) && mappedCondition(dataSource, schemaId, values),
  ]);
}

/** @param comparisons columns with the operator */
function anyContains(comparisons: readonly string[], pattern: string): string {
  return `(${comparisons.map((comparison) => `${comparison} ${pattern}`).join(" OR ")})`;
}

function mappedCondition(
  dataSource: DataSourceRef | undefined,
  schemaId: string | undefined,
  values: StatementValues,
): string {
  const conditions = [
    "entry.account_id = user_group.account_id",
    "entry.environment = user_group.environment",
    "entry.user_group_id = user_group.id",
    ...(schemaId === undefined ? [] : [`entry.schema_id = ${values.add(schemaId)}`]),
    ...(dataSource ? [`entry.data_source_id = ${dataSourceId(dataSource, values)}`] : []),
  ];
  return `EXISTS (SELECT FROM mapping_entry AS entry WHERE ${conditions.join(" AND ")})`;
}

function dataSourceId(ref: DataSourceRef, values: StatementValues): string {
  if (ref.by === "id") return values.add(ref.id);
  return `(SELECT id FROM data_source
    WHERE account_id = $1 AND environment = $2 AND provided_id = ${values.add(ref.providedId)})`;
}
