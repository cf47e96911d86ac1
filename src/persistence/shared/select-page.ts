import { inOrder } from "../../domain/shared/in-order.js";
import {
  isEmptyFilter,
  type ListOrder,
  type Page,
  type PageRequest,
  type SortOrder,
  toPage,
} from "../../domain/shared/pagination.js";
import { type Keyset, keysetsOf, pageClauses, pageName, StatementValues } from "./keyset.js";
import type { Table } from "./table.js";
import type { TenantDb } from "./tenant-db.js";

// Raw SQL: keyset pages compare rows. Through TypeORM, a page of 100 rows takes as many statements, 0.5 to 0.9 ms more CPU and a second
// helper beside this one, which hot lists need anyway.

/** A list of a tenant's rows. */
export interface ListDefinition<Row, Item, Filter, Field extends string> {
  readonly table: Table<Row>;
  readonly order: ListOrder<keyof Row & keyof Item & string, Field>;
  readonly toItem: (row: Row) => Item;
  /** Excludes hidden rows. */
  readonly condition?: string;
  readonly conditions: (filter: Filter, values: StatementValues) => readonly (string | false | undefined)[];
  /** Prepares the statements of the unfiltered list. */
  readonly isPrepared?: true;
  /** Reads only columns that the fields of a page use; set where fields use the columns of their names only. */
  readonly readsUsed?: true;
}

/** Reads a list. */
export interface TenantList<Item, Filter, Field extends string> {
  readonly order: ListOrder<keyof Item & string, Field>;
  page(db: TenantDb, filter: Filter, order: SortOrder<Field>, page: PageRequest): Promise<Page<Item>>;
  /** Counts the items on all pages. */
  count(db: TenantDb, filter: Filter): Promise<number>;
  /** Returns an item or null for each ID, in the same order. */
  byIds(db: TenantDb, ids: readonly number[]): Promise<(Item | null)[]>;
}

export function defineList<
  Row extends object,
  Item extends { readonly id: number },
  Filter extends object,
  Field extends string,
>(definition: ListDefinition<Row, Item, Filter, Field>): TenantList<Item, Filter, Field> {
  const { table, order, toItem, condition, conditions, isPrepared = false, readsUsed = false } = definition;
  const keysetOf = keysetsOf(table, order);
  const query = (filter: Filter, suffix = ""): ListQuery => ({
    ...tenantList((values) => [condition, ...conditions(filter, values)]),
    ...(isPrepared && isEmptyFilter(filter) && { name: `${table.name}_list${suffix}` }),
  });
  return {
    order,
    async page(db, filter, by, page) {
      const keyset = keysetOf(by);
      const { columns, suffix } = table.used(readsUsed ? page.fields : undefined, keyset.column);
      const selection = { name: table.name, columns, keyset };
      const rows = await findRows<Row>(db, selection, page, query(filter, suffix));
      return toPage(rows.map(toItem), page);
    },
    count: (db, filter) => countList(db, table.name, query(filter)),
    async byIds(db, ids) {
      const where = [...tenantList(() => [condition]).conditions, "id = ANY ($3::bigint[])"];
      const text = `SELECT ${table.columns} FROM ${table.name} WHERE ${where.join(" AND ")}`;
      const rows = await db.run<Row>({ name: `${table.name}_by_ids`, access: "read", text }, [ids]);
      return inOrder(ids, rows.map(toItem), ({ id }) => id);
    },
  };
}

/** The filter of a list. */
export interface ListQuery {
  readonly conditions: readonly string[];
  /** Values of the conditions' placeholders. */
  readonly values: StatementValues;
  /** Set for unfiltered lists, which are few enough to be prepared. Must be unique per list. */
  readonly name?: string;
  /** Reads the rows by an index of the filter, in the order of the page. */
  readonly source?: RowSource;
  /** Set where PostgreSQL's choice between an index of the filter and one of the order could read too much. */
  readonly search?: Search;
}

/** SQL that restricts what a selection of rows reads. */
export interface RowSource {
  readonly condition: string;
  /** @param rows selects rows that meet the condition */
  readonly read: (rows: string) => string;
}

/** Bounds what a filtered page reads, whatever the planner's estimates are (decision 29). */
export interface Search {
  /** SQL that selects the rows of a condition by its index: all if they are few, else more than `MAX_FEW`. */
  readonly few?: string | undefined;
  /** Conditions that the index of the order serves. */
  readonly inOrder?: readonly string[] | undefined;
}

/** Conditions of every statement on a tenant's rows. */
export const TENANT = ["account_id = $1", "environment = $2"];

/** Rows that are fetched and sorted at once: few enough for 500 blocks. */
export const MAX_FEW = 100;

/** Rows that are filtered in the order of the page before all rows are, if one of the first `PROBED` matches. */
const MAX_WALKED = 3000;

/** Rows of which one must match, or else all rows are read: each can be in a block of its own. */
export const PROBED = 300;

/** Returns the filter for the tenant's rows that meet the conditions. */
export function tenantList(
  conditionsOf: (values: StatementValues) => readonly (string | false | undefined)[],
): ListQuery {
  const values = new StatementValues();
  return { conditions: [...TENANT, ...conditionsOf(values).flatMap((each) => each || [])], values };
}

/** A table with the columns that are read and the order of a page. */
interface Selection extends Pick<Table<never>, "name" | "columns"> {
  readonly rows?: "text";
  readonly keyset: Keyset;
}

/** Reads the rows of one page of a list, in the direction of paging, and one more if another page follows. */
export async function findRows<Row extends object>(
  db: TenantDb,
  selection: Selection,
  page: PageRequest,
  list: ListQuery,
): Promise<Row[]> {
  const { name: table, rows, keyset } = selection;
  const { values, name } = list;
  const text = pageText(selection, list, pageClauses(table, keyset, page, values));
  return db.run<Row>(
    {
      ...(name === undefined
        ? { label: `${table}_filtered_page`, isSearch: true }
        : { name: `${name}_${pageName(keyset, page)}` }),
      ...(rows && { rows }),
      access: "read",
      text,
    },
    values.list,
  );
}

type PageClauses = ReturnType<typeof pageClauses>;

function pageText({ name, columns }: Selection, list: ListQuery, clauses: PageClauses): string {
  const { source, search } = list;
  const { orderAndLimit } = clauses;
  const matching = [...list.conditions, ...clauses.conditions];
  const pageOf = (rows: string) => `SELECT ${columns} FROM (${rows}) AS ${name} ${orderAndLimit}`;
  if (source)
    return pageOf(source.read(`${selectRows(name, [...matching, source.condition])} ${orderAndLimit}`));
  if (!search) return `SELECT ${columns} FROM ${name} WHERE ${matching.join(" AND ")} ${orderAndLimit}`;
  const { steps, found } = searchSteps(name, list.conditions, search, clauses);
  return `WITH ${steps.join(",\n    ")}
    ${pageOf(found.join(" UNION ALL "))}`;
}

function selectRows(from: string, conditions: readonly string[]): string {
  return `SELECT * FROM ${from} WHERE ${conditions.join(" AND ")}`;
}

/**
 * Finds the page of a search in one of three ways, of which the statement itself chooses the cheapest, because estimates of how many rows
 * match are often wrong: from the few rows of an index of the filter, by a walk in the order of the page, or from all rows.
 * @returns the steps, common table expressions, and the queries of which at most one has rows
 */
function searchSteps(
  table: string,
  conditions: readonly string[],
  { few, inOrder = [] }: Search,
  { conditions: window, order, size, orderAndLimit }: PageClauses,
): { readonly steps: readonly string[]; readonly found: readonly string[] } {
  const matching = [...conditions, ...window];
  // The index of the filter selects one row more than are few, which shows that there are more.
  const tooMany = few ? [`(SELECT count(*) FROM few) > ${MAX_FEW}`] : [];
  const firstInOrder = (limit: number, gate: readonly string[]) =>
    `(${selectRows(table, [...TENANT, ...inOrder, ...window, ...gate])} ${order} LIMIT ${limit}) AS ${table}`;
  // A walk in the order of the page pays only if matches are frequent: one of the first rows must match.
  const probe = `SELECT FROM ${firstInOrder(PROBED, tooMany)} WHERE ${conditions.join(" AND ")} LIMIT 1`;
  // The walk ends after a number of rows, in case matches are frequent only at the beginning.
  const walk = selectRows(firstInOrder(MAX_WALKED, ["EXISTS (SELECT FROM probed)"]), conditions);
  const walkHas = (comparison: ">" | "<=") => `(SELECT count(*) FROM walked) ${comparison} ${size}`;
  const fromFew = few ? [selectRows(`few AS ${table}`, [...matching, `NOT ${tooMany.join()}`])] : [];
  const fromWalk = selectRows("walked", [walkHas(">")]);
  // The last resort. OFFSET keeps the planner from reading the rows in the order of the page.
  const fromAll = `(${selectRows(table, [...matching, ...tooMany, walkHas("<=")])} OFFSET 0)`;
  return {
    steps: [
      ...(few ? [`few AS MATERIALIZED (${few})`] : []),
      `probed AS MATERIALIZED (${probe})`,
      `walked AS MATERIALIZED (${walk} ${orderAndLimit})`,
    ],
    found: [...fromFew, fromWalk, fromAll],
  };
}

/** Reads the rows of the same page of each parent's list with one statement, in the direction of paging. */
export async function findPages<Row extends object>(
  db: TenantDb,
  { name, columns, keyset }: Selection,
  of: { readonly column: string; readonly ids: readonly number[]; readonly page: PageRequest },
  { conditions, values }: ListQuery,
): Promise<Row[]> {
  const clauses = pageClauses(name, keyset, of.page, values);
  const where = [...conditions, `${of.column} = parent_id`, ...clauses.conditions];
  const text = `SELECT ${columns} FROM unnest(${values.add(of.ids)}::bigint[]) AS parent (parent_id)
    CROSS JOIN LATERAL (SELECT * FROM ${name} WHERE ${where.join(" AND ")} ${clauses.orderAndLimit}) AS ${name}
    ${clauses.order}`;
  return db.run<Row>({ label: `${name}_pages`, access: "read", isSearch: true, text }, values.list);
}

/** Counts the rows on all pages of a list. @param max number at which counting ends */
export async function countList(
  db: TenantDb,
  table: string,
  { conditions, values }: ListQuery,
  max?: number,
): Promise<number> {
  const limit = max === undefined ? "" : `LIMIT ${values.add(max)}`;
  const rows = `FROM ${table} WHERE ${conditions.join(" AND ")}`;
  const counted = limit ? `FROM (SELECT ${rows} ${limit}) AS counted` : rows;
  const text = `SELECT count(*)::integer AS count ${counted}`;
  const label = `${table}_count`;
  const found = await db.run<{ count: number }>({ label, access: "read", isSearch: true, text }, values.list);
  return found[0]?.count ?? 0;
}

/** Counts the rows of each parent's list with one statement. @returns the numbers in the order of `of.ids` */
export async function countOfEach(
  db: TenantDb,
  table: string,
  of: { readonly column: string; readonly ids: readonly number[]; readonly counted?: string },
  { conditions, values }: ListQuery,
): Promise<number[]> {
  const where = [...conditions, `${of.column} = ANY (${values.add(of.ids)}::bigint[])`].join(" AND ");
  const text = `SELECT ${of.column} AS id, count(${of.counted ?? "*"})::integer AS count FROM ${table} WHERE ${where} GROUP BY 1`;
  const statement = { label: `${table}_counts`, access: "read", isSearch: true, text } as const;
  const rows = await db.run<{ id: number; count: number }>(statement, values.list);
  const counts = new Map(rows.map(({ id, count }) => [id, count]));
  return of.ids.map((id) => counts.get(id) ?? 0);
}

/**
 * Groups the rows of several lists, read with one statement, into one page per list, in the order of their IDs.
 * @param found items with the ID of their list, in paging order within each list
 */
export function groupPages<Item>(
  listIds: readonly number[],
  found: readonly (readonly [listId: number, item: Item])[],
  page: PageRequest,
): Page<Item>[] {
  const lists = new Map<number, Item[]>();
  for (const [listId, item] of found) {
    const list = lists.get(listId);
    if (list) list.push(item);
    else lists.set(listId, [item]);
  }
  return listIds.map((listId) => toPage(lists.get(listId) ?? [], page));
}
