import { filtersNothing, type Page, type PageRequest, toPage } from "../../domain/shared/page.js";
import { type Keyset, pageClauses, pageName, StatementValues } from "./keyset.js";
import type { Statement } from "./statement.js";
import type { TenantDb } from "./tenant-db.js";

/** The rows of a list. */
export interface ListQuery {
  readonly table: string;
  readonly conditions: readonly string[];
  /** What the conditions' placeholders stand for. */
  readonly values: StatementValues;
  /** Set where nothing is filtered: such lists are few, so that connections can prepare them. One name, one list. */
  readonly name?: string;
}

/** The name of a list, if no condition of its filter is set. */
export function nameOfWhole(name: string, filter: object): Pick<ListQuery, "name"> {
  return filtersNothing(filter) ? { name } : {};
}

/** What is read of a row, and what is made of it. */
export interface ItemQuery<Row extends object, Item> {
  readonly columns: string;
  readonly toItem: (row: Row) => Item;
  readonly rows?: "text";
}

/** All rows of a table that belong to a tenant. */
export function tenantList(table: string): ListQuery {
  return { table, conditions: ["account_id = $1", "environment = $2"], values: new StatementValues() };
}

/** Reads one page of a list. */
export async function selectPage<Row extends object, Item>(
  db: TenantDb,
  { table, conditions, values, name }: ListQuery,
  { columns, toItem, ...mode }: ItemQuery<Row, Item>,
  keyset: Keyset,
  page: PageRequest,
): Promise<Page<Item>> {
  const clauses = pageClauses(table, keyset, page, values);
  const text = `SELECT ${columns} FROM ${table}
    WHERE ${[...conditions, ...clauses.conditions].join(" AND ")} ${clauses.orderAndLimit}`;
  const statement: Statement =
    name === undefined
      ? { label: `${table}_filtered_page`, access: "read", text, ...mode }
      : { name: `${name}_${pageName(keyset, page)}`, access: "read", text, ...mode };
  const rows = await db.run<Row>(statement, values.list);
  return toPage(rows.map(toItem), page);
}

/** Reads those rows of a tenant that have these ids, in no order. @param conditions the same in each call for a table */
export async function selectByIds<Row extends object, Item>(
  db: TenantDb,
  table: { readonly name: string; readonly idType: "integer" | "bigint" },
  { columns, toItem }: ItemQuery<Row, Item>,
  ids: readonly number[],
  conditions: readonly string[] = [],
): Promise<Item[]> {
  const own = ["account_id = $1", "environment = $2", `id = ANY ($3::${table.idType}[])`, ...conditions];
  const text = `SELECT ${columns} FROM ${table.name} WHERE ${own.join(" AND ")}`;
  const rows = await db.run<Row>({ name: `${table.name}_by_ids`, access: "read", text }, [ids]);
  return rows.map(toItem);
}

/** Counts what a list has on all of its pages. */
export async function countList(db: TenantDb, { table, conditions, values }: ListQuery): Promise<number> {
  const text = `SELECT count(*)::integer AS count FROM ${table} WHERE ${conditions.join(" AND ")}`;
  const rows = await db.run<{ count: number }>(
    { label: `${table}_count`, access: "read", text },
    values.list,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Puts together the pages of several lists that one statement has read.
 * @param found each item with the id of its list, in the direction of paging within each list
 */
export function groupPages<Item>(
  found: readonly (readonly [listId: number, item: Item])[],
  page: PageRequest,
): ReadonlyMap<number, Page<Item>> {
  const lists = new Map<number, Item[]>();
  for (const [listId, item] of found) {
    const list = lists.get(listId);
    if (list) list.push(item);
    else lists.set(listId, [item]);
  }
  return new Map([...lists].map(([listId, items]) => [listId, toPage(items, page)]));
}
