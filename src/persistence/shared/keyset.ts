import type { PageRequest, Position } from "../../domain/shared/page.js";

/** Collects the values of a statement that is put together piece by piece, after the account ($1) and the environment ($2). */
export class StatementValues {
  readonly list: unknown[] = [];

  /** @returns the placeholder that stands for the value */
  add(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length + 2}`;
  }
}

/** How a list is sorted in the database. */
export interface Keyset {
  /** The column, and the type that a cursor's value is cast to. */
  readonly column: string;
  readonly type: string;
  /** The column of the id, which breaks ties; the sort column itself where its values are unique within the list. */
  readonly idColumn: string;
  /** `integer` unless set. */
  readonly idType?: "bigint";
  readonly direction: "ascending" | "descending";
}

/** The oldest row first. */
export const BY_ID: Keyset = { column: "id", type: "integer", idColumn: "id", direction: "ascending" };

/** What stands for a page request in a statement. */
interface PageTerms {
  readonly after: PositionTerms | null;
  readonly before: PositionTerms | null;
  readonly size: string;
}

interface PositionTerms {
  readonly value: string;
  readonly id: string;
}

/** The placeholders of one page. */
function pageTerms(
  { column, idColumn }: Keyset,
  { after, before, size }: PageRequest,
  values: StatementValues,
): PageTerms {
  const termsOf = (position: Position | null) => {
    if (!position) return null;
    const value = values.add(position.value);
    // PostgreSQL refuses a placeholder that nothing compares with.
    return { value, id: column === idColumn ? value : values.add(position.id) };
  };
  return { after: termsOf(after), before: termsOf(before), size: `${values.add(size)}::integer` };
}

/**
 * The placeholders of several pages, as a table in their order, and what cuts the page of one of its rows out of a list.
 * @param table the table that the list is read from
 * @param shape any of the pages: all have the same `pageName`
 */
export function pageTable(
  table: string,
  keyset: Keyset,
  shape: PageRequest,
  pages: readonly PageRequest[],
  values: StatementValues,
) {
  const positions = (side: "after" | "before") => {
    const list = pages.map((page) => page[side]);
    const texts = values.add(list.map((position) => (position ? String(position.value) : null)));
    return `${texts}::text[], ${values.add(list.map((position) => position?.id ?? null))}::integer[]`;
  };
  const arrays = [
    positions("after"),
    positions("before"),
    `${values.add(pages.map(({ size }) => size))}::integer[]`,
  ];
  return {
    table: `unnest(${arrays.join(", ")}) WITH ORDINALITY
      AS page (after_value, after_id, before_value, before_id, size, place)`,
    order: "page.place",
    ...clausesOf(table, keyset, shape, {
      after: { value: "page.after_value", id: "page.after_id" },
      before: { value: "page.before_value", id: "page.before_id" },
      size: "page.size",
    }),
  };
}

/**
 * The conditions and the order that cut a page out of a list: one more row than the page holds, from its near end on.
 * An index on the sort column and the id makes the thousandth page as cheap as the first.
 * @param table the table that the list is read from
 */
export function pageClauses(table: string, keyset: Keyset, page: PageRequest, values: StatementValues) {
  return clausesOf(table, keyset, page, pageTerms(keyset, page, values));
}

/** @param page says which of the terms count */
function clausesOf(table: string, keyset: Keyset, page: PageRequest, terms: PageTerms) {
  const { type, idType = "integer" } = keyset;
  // Qualified: ORDER BY prefers names of the select list, which may be expressions that no index has.
  const column = `${table}.${keyset.column}`;
  const idColumn = `${table}.${keyset.idColumn}`;
  const later = keyset.direction === "ascending" ? ">" : "<";
  const earlier = keyset.direction === "ascending" ? "<" : ">";
  const compare = (operator: string, { value, id }: PositionTerms) => {
    if (column === idColumn) return `${column} ${operator} ${value}::${type}`;
    return `(${column}, ${idColumn}) ${operator} (${value}::${type}, ${id}::${idType})`;
  };
  const conditions = [
    ...(page.after && terms.after ? [compare(later, terms.after)] : []),
    ...(page.before && terms.before ? [compare(earlier, terms.before)] : []),
  ];
  const ascending = (keyset.direction === "ascending") === (page.from === "start");
  const way = ascending ? "ASC" : "DESC";
  const order = column === idColumn ? `${column} ${way}` : `${column} ${way}, ${idColumn} ${way}`;
  return { conditions, orderAndLimit: `ORDER BY ${order} LIMIT ${terms.size} + 1` };
}

/** Tells apart what `pageClauses` makes of different pages. */
export function pageName({ column, direction }: Keyset, { from, after, before }: PageRequest): string {
  return [column, direction, from, ...(after ? ["after"] : []), ...(before ? ["before"] : [])].join("_");
}

/** The conditions of a column's range. */
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

/** Makes a text match itself in a LIKE pattern. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
