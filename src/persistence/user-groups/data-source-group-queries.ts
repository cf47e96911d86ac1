import type { Page, PageRequest } from "../../domain/shared/pagination.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { pageClauses, StatementValues } from "../shared/keyset.js";
import { countOfEach, groupPages, tenantList } from "../shared/select-page.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { readUserGroup, USER_GROUPS, type UserGroupRow, usedColumns, valuesAfterGroup } from "./row.js";

// Raw SQL: reads the same page of several lists at once.

/** Lists, with one statement, the same page of each data source's mapped groups, ordered by internal ID. */
export async function listUserGroupsOfDataSources(
  db: TenantDb,
  dataSourceIds: readonly number[],
  page: PageRequest,
): Promise<Page<UserGroup>[]> {
  const values = new StatementValues();
  const sources = values.add(dataSourceIds);
  const keyset = {
    column: "user_group_id",
    type: "bigint",
    idColumn: "user_group_id",
    direction: "ascending",
  } as const;
  const clauses = pageClauses("mapping_entry", keyset, page, values);
  const conditions = [
    `account_id = $1`,
    `environment = $2`,
    "data_source_id = source.id",
    ...clauses.conditions,
  ];
  const text = `SELECT found.*, source.id
    FROM unnest(${sources}::bigint[]) AS source (id)
    CROSS JOIN LATERAL (
      SELECT DISTINCT user_group_id FROM mapping_entry WHERE ${conditions.join(" AND ")} ${clauses.orderAndLimit}
    ) AS mapped
    JOIN LATERAL (
      SELECT ${usedColumns(USER_GROUPS.used(page.fields).unused)} FROM user_group
      WHERE account_id = $1 AND environment = $2 AND id = mapped.user_group_id
    ) AS found ON true
    ORDER BY source.id, found.id ${page.from === "start" ? "ASC" : "DESC"}`;
  const statement = {
    label: "user_groups_of_data_sources_page",
    access: "read",
    text,
    rows: "text",
  } as const;
  const rows = await db.run<UserGroupRow<[dataSourceId: string]>>(statement, values.list);
  return groupPages(
    dataSourceIds,
    rows.map((row) => [Number(valuesAfterGroup(row)[0]), readUserGroup(db, row)]),
    page,
  );
}

/** Counts the groups mapped to each data source. */
export async function countUserGroupsOfDataSources(db: TenantDb, ids: readonly number[]): Promise<number[]> {
  const of = { column: "data_source_id", ids, counted: "DISTINCT user_group_id" };
  const all = tenantList(() => []);
  return countOfEach(db, "mapping_entry", of, all);
}
