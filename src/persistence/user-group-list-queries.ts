import type { Tenant } from "../domain/caller.js";
import type { DataSourceRef } from "../domain/data-source.js";
import type { Page, PageRequest } from "../domain/page.js";
import type { UserGroup } from "../domain/user-group.js";
import type { SortOrder, UserGroupFilter, UserGroupSortField } from "../domain/user-group-list.js";
import { escapeLike, StatementValues } from "./keyset.js";
import { countList, type ListQuery, nameOfWhole, selectPage } from "./select-page.js";
import type { Queryable } from "./statement.js";
import { toUserGroup, USER_GROUP_COLUMNS, type UserGroupRow } from "./user-group-row.js";

const SORT_COLUMNS: Readonly<Record<UserGroupSortField, { readonly column: string; readonly type: string }>> =
  {
    teamId: { column: "id", type: "integer" },
    providedId: { column: "provided_id", type: "text" },
    name: { column: "name", type: "text" },
    createdAt: { column: "created_at", type: "timestamptz" },
    updatedAt: { column: "updated_at", type: "timestamptz" },
  };

/** A page of the tenant's groups. */
export async function listUserGroups(
  db: Queryable,
  tenant: Tenant,
  filter: UserGroupFilter,
  order: SortOrder<UserGroupSortField>,
  page: PageRequest,
): Promise<Page<UserGroup>> {
  const keyset = { ...SORT_COLUMNS[order.field], idColumn: "id", direction: order.direction };
  const toItem = (row: UserGroupRow) => toUserGroup(tenant, row);
  const item = { columns: USER_GROUP_COLUMNS, toItem, rows: "text" } as const;
  return selectPage(db, listQuery(tenant, filter), item, keyset, page);
}

/** How many groups a list with this filter has. */
export async function countUserGroups(
  db: Queryable,
  tenant: Tenant,
  filter: UserGroupFilter,
): Promise<number> {
  return countList(db, listQuery(tenant, filter));
}

function listQuery(tenant: Tenant, filter: UserGroupFilter): ListQuery {
  const values = new StatementValues();
  const conditions = [
    `account_id = ${values.add(tenant.accountId)}`,
    `environment = ${values.add(tenant.environment)}`,
  ];
  const { providedIds, nameContains, nameStartsWith, dataSource, schemaId, properties } = filter;
  if (providedIds) conditions.push(`provided_id = ANY (${values.add(providedIds)}::text[])`);
  // The database's own collation knows the case of letters beyond ASCII, which "C" does not.
  const name = `name COLLATE "default" ILIKE`;
  if (nameContains !== undefined) conditions.push(`${name} ${values.add(`%${escapeLike(nameContains)}%`)}`);
  if (nameStartsWith !== undefined)
    conditions.push(`${name} ${values.add(`${escapeLike(nameStartsWith)}%`)}`);
  for (const [column, range] of [
    ["created_at", filter.createdAt],
    ["updated_at", filter.updatedAt],
  ] as const) {
    if (range?.from) conditions.push(`${column} >= ${values.add(range.from)}`);
    if (range?.to) conditions.push(`${column} < ${values.add(range.to)}`);
  }
  if (properties) conditions.push(`properties::jsonb @> ${values.add(JSON.stringify(properties))}::jsonb`);
  if (dataSource || schemaId !== undefined)
    conditions.push(mappedCondition(tenant, dataSource, schemaId, values));
  return { table: "user_group", conditions, values, ...nameOfWhole("user_group_list", filter) };
}

function mappedCondition(
  tenant: Tenant,
  dataSource: DataSourceRef | undefined,
  schemaId: string | undefined,
  values: StatementValues,
): string {
  const conditions = [
    "entry.account_id = user_group.account_id",
    "entry.environment = user_group.environment",
    "entry.user_group_id = user_group.id",
    ...(schemaId === undefined ? [] : [`entry.schema_id = ${values.add(schemaId)}`]),
    ...(dataSource ? [`entry.data_source_id = ${dataSourceId(tenant, dataSource, values)}`] : []),
  ];
  return `EXISTS (SELECT FROM mapping_entry AS entry WHERE ${conditions.join(" AND ")})`;
}

function dataSourceId(tenant: Tenant, ref: DataSourceRef, values: StatementValues): string {
  if (ref.by === "id") return values.add(ref.id);
  const account = values.add(tenant.accountId);
  return `(SELECT id FROM data_source WHERE account_id = ${account} AND provided_id = ${values.add(ref.providedId)})`;
}
