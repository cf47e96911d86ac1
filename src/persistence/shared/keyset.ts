import type { ListOrder, PageRequest, Position, SortKey, SortOrder } from "../../domain/shared/pagination.js";
import type { Table } from "./table.js";

/** Collects the values of a dynamically built statement, after the account ($1) and the environment ($2). */
export class StatementValues {
  readonly list: unknown[] = [];

  /** @returns the value's placeholder */
  add(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length + 2}`;
  }
}

/** Sort order of a list. */
export interface Keyset {
  /** The sort column, and the type that a cursor's value is cast to. */
  readonly column: string;
  readonly type: string;
  /** Sorts by this SQL expression instead of the column. */
  readonly expression?: string;
  /** The tie-breaking ID column; the sort column itself if its values are unique within the list. */
  readonly idColumn: string;
  readonly direction: "ascending" | "descending";
}

/** The types of sort values. */
const TYPES: Readonly<Record<SortKey["kind"], string>> = {
  id: "bigint",
  revision: "integer",
  text: "text",
  time: "timestamptz",
};

/** Returns a function that returns the keyset of each order of a list. */
export function keysetsOf<Row, Field extends string>(
  table: Table<Row>,
  { fields }: ListOrder<keyof Row & string, Field>,
): (order: SortOrder<Field>) => Keyset {
  const keysets = new Map<Field, Omit<Keyset, "direction">>();
  return ({ field, direction }) => {
    const known = keysets.get(field);
    if (known) return { ...known, direction };
    const { property, kind, ifNull } = fields[field];
    const column = table.column(property);
    const qualified = `${table.name}.${column}`;
    const keyset = {
      column,
      type: TYPES[kind],
      idColumn: table.isUnique(property) ? column : "id",
      ...(table.isLocalized(property) && { expression: `${qualified} COLLATE "C"` }),
      ...(ifNull && { expression: `coalesce(${qualified}, '${ifNull}')` }),
    };
    keysets.set(field, keyset);
    return { ...keyset, direction };
  };
}

/** SQL expressions of a page request. */
interface PageTerms {
  readonly after: PositionTerms | null;
  readonly before: PositionTerms | null;
  readonly size: string;
}

interface PositionTerms {
  readonly value: string;
  readonly id: string;
}

function pageTerms(
  { column, idColumn }: Keyset,
  { after, before, size }: PageRequest,
  values: StatementValues,
): PageTerms {
  const termsOf = (position: Position | null) => {
    if (!position) return null;
    const value = values.add(position.value);
    // PostgreSQL rejects an unused placeholder.
    return { value, id: column === idColumn ? value : values.add(position.id) };
  };
  return { after: termsOf(after), before: termsOf(before), size: `${values.add(size)}::integer` };
}

/**
 * Returns a table expression with one row per page, in order, and the clauses that select each row's page from a list.
 * @param table the table that the list is read from
 * @param pages must all have the same `pageName`
 */
export function pageTable(
  table: string,
  keyset: Keyset,
  pages: readonly [PageRequest, ...PageRequest[]],
  values: StatementValues,
) {
  const positions = (side: "after" | "before") => {
    const list = pages.map((page) => page[side]);
    const texts = values.add(list.map((position) => (position ? String(position.value) : null)));
    return `${texts}::text[], ${values.add(list.map((position) => position?.id ?? null))}::bigint[]`;
  };
  const arrays = [
    positions("after"),
    positions("before"),
    `${values.add(pages.map(({ size }) => size))}::integer[]`,
  ];
  return {
    table: `unnest(${arrays.join(", ")}) WITH ORDINALITY
      AS page (after_value, after_id, before_value, before_id, size, place)`,
    ...clausesOf(table, keyset, pages[0], {
      after: { value: "page.after_value", id: "page.after_id" },
      before: { value: "page.before_value", id: "page.before_id" },
      size: "page.size",
    }),
  };
}

/**
 * Returns the conditions, order and limit that select a page: one row more than its size, to detect whether another page follows.
 * With an index on the sort column and the ID, every page costs the same.
 * @param table the table that the list is read from
 */
export function pageClauses(table: string, keyset: Keyset, page: PageRequest, values: StatementValues) {
  return clausesOf(table, keyset, page, pageTerms(keyset, page, values));
}

/** @param page determines which terms are used */
function clausesOf(table: string, keyset: Keyset, page: PageRequest, terms: PageTerms) {
  // Qualified: ORDER BY prefers names of the select list, which may be expressions without an index.
  const column = keyset.expression ?? `${table}.${keyset.column}`;
  const idColumn = `${table}.${keyset.idColumn}`;
  const later = keyset.direction === "ascending" ? ">" : "<";
  const earlier = keyset.direction === "ascending" ? "<" : ">";
  const compare = (operator: string, { value, id }: PositionTerms) => {
    if (column === idColumn) return `${column} ${operator} ${value}::${keyset.type}`;
    return `(${column}, ${idColumn}) ${operator} (${value}::${keyset.type}, ${id}::bigint)`;
  };
  const conditions = [
    ...(page.after && terms.after ? [compare(later, terms.after)] : []),
    ...(page.before && terms.before ? [compare(earlier, terms.before)] : []),
  ];
  const ascending = (keyset.direction === "ascending") === (page.from === "start");
  const sortOrder = ascending ? "ASC" : "DESC";
  const order =
    column === idColumn ? `${column} ${sortOrder}` : `${column} ${sortOrder}, ${idColumn} ${sortOrder}`;
  return {
    conditions,
    order: `ORDER BY ${order}`,
    size: terms.size,
    orderAndLimit: `ORDER BY ${order} LIMIT ${terms.size} + 1`,
  };
}

/** Returns a name that identifies the text of `pageClauses` for a page. */
export function pageName({ column, direction }: Keyset, { from, after, before }: PageRequest): string {
  return [column, direction, from, ...(after ? ["after"] : []), ...(before ? ["before"] : [])].join("_");
}

/** Returns the conditions of a half-open range, `from` inclusive and `to` exclusive. */
export function inRange(
  column: string,
  range: { readonly from?: Date; readonly to?: Date } | undefined,
  values: StatementValues,
) {
  return [
    range?.from && `${column} >= ${values.add(range.from)}`,
    range?.to && `${column} < ${values.add(range.to)}`,
  ];
}

/** Sorts after every text of the lengths that names and IDs may have. */
export const LAST_TEXT = "\u{10ffff}".repeat(255);

/**
 * Returns the condition that a column with the collation "C" starts with a prefix. A range, because row-level security lets an index
 * serve comparisons, but not LIKE, which is not leakproof.
 */
export function startsWith(column: string, prefix: string, values: StatementValues): string {
  return `${column} BETWEEN ${values.add(prefix)} AND ${values.add(prefix + LAST_TEXT)}`;
}

/** Escapes the wildcards of a LIKE pattern. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
