import type { PageRequest, Position } from "../domain/page.js";

/** Collects the values of a statement that is put together piece by piece. */
export class StatementValues {
  readonly list: unknown[] = [];

  /** @returns the placeholder that stands for the value */
  add(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length}`;
  }
}

/** How a list is sorted in the database. */
export interface Keyset {
  /** The column, and the type that a cursor's value is cast to. */
  readonly column: string;
  readonly type: string;
  /** The column of the id, which settles ties. */
  readonly idColumn: string;
  readonly direction: "ascending" | "descending";
}

/**
 * The conditions and the order that cut a page out of a list: one more row than the page holds, from its near end on.
 * An index on the sort column and the id makes the thousandth page as cheap as the first.
 */
export function pageClauses(keyset: Keyset, page: PageRequest, values: StatementValues) {
  const { column, idColumn } = keyset;
  const later = keyset.direction === "ascending" ? ">" : "<";
  const earlier = keyset.direction === "ascending" ? "<" : ">";
  const compare = (operator: string, position: Position) => {
    const value = `${values.add(position.value)}::${keyset.type}`;
    if (column === idColumn) return `${column} ${operator} ${value}`;
    return `(${column}, ${idColumn}) ${operator} (${value}, ${values.add(position.id)}::integer)`;
  };
  const conditions = [
    ...(page.after ? [compare(later, page.after)] : []),
    ...(page.before ? [compare(earlier, page.before)] : []),
  ];
  const ascending = (keyset.direction === "ascending") === (page.from === "start");
  const way = ascending ? "ASC" : "DESC";
  const order = column === idColumn ? `${column} ${way}` : `${column} ${way}, ${idColumn} ${way}`;
  return { conditions, orderAndLimit: `ORDER BY ${order} LIMIT ${values.add(page.size + 1)}::integer` };
}

/** Tells apart what `pageClauses` makes of different pages. */
export function pageName({ column, direction }: Keyset, { from, after, before }: PageRequest): string {
  return [column, direction, from, ...(after ? ["after"] : []), ...(before ? ["before"] : [])].join("_");
}

/** Makes a text match itself in a LIKE pattern. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
