import { DomainError, type FieldPath, invalidField } from "./errors.js";
import { isInternalId, isRevisionNumber } from "./internal-id.js";
import { isPresent } from "./json.js";
import { isStorable } from "./text-field.js";

/** Maximum and default page size. */
export const MAX_PAGE_SIZE = 250;
export const DEFAULT_PAGE_SIZE = 20;

/** Maximum number of list items in one reply, such as user groups, mapping entries and findings (decision 29). */
export const MAX_REPLY_ITEMS = 50_000;

/** The error of a reply with more items. */
export function tooManyItems(): DomainError {
  return new DomainError(
    "query_too_expensive",
    `The reply has more than ${MAX_REPLY_ITEMS} items. Request fewer at once.`,
    { details: { limit: MAX_REPLY_ITEMS } },
  );
}

/** The position of an item in a list: its sort value, and its ID as tie-breaker. */
export interface Position {
  readonly value: string | number;
  readonly id: number;
}

/** A page request: at most `size` items between two positions, counted from the start or the end. */
export interface PageRequest {
  readonly size: number;
  readonly from: "start" | "end";
  readonly after: Position | null;
  readonly before: Position | null;
  /** Names of all fields of the items that are used, and maybe of others; undefined if unknown. */
  readonly fields?: ReadonlySet<string> | undefined;
}

/** A page of a list, in list order. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Whether more items follow in the direction of paging. */
  readonly hasMore: boolean;
}

/** The sort field of a list, and the type of its values. */
export interface SortKey {
  readonly field: string;
  readonly kind: "id" | "revision" | "text" | "time";
}

/** The order of a list. */
export interface SortOrder<Field> {
  readonly field: Field;
  readonly direction: "ascending" | "descending";
}

/** A field by which a list can be sorted. */
export interface SortField<Property> {
  /** The items' property that is compared. */
  readonly property: Property;
  readonly kind: SortKey["kind"];
  /** The value of items that have none. */
  readonly ifNull?: string;
  /** Absent where clients cannot choose the order. */
  readonly description?: string;
}

/** The sort fields of lists of named items, some of which other lists have as well. */
export const NAMED_ITEM_SORT = {
  providedId: {
    property: "providedId",
    kind: "text",
    description: "Order by external ID, compared by code point.",
  },
  name: { property: "name", kind: "text", description: "Order by name, compared by code point." },
  createdAt: { property: "createdAt", kind: "time", description: "Order by time of creation." },
} as const;

/** The orders of a list, from which enums, cursors and SQL are derived; ties are broken by ID. */
export interface ListOrder<Property, Field extends string = string> {
  readonly fields: Readonly<Record<Field, SortField<Property>>>;
  readonly default: SortOrder<NoInfer<Field>>;
}

/** The properties of an item that a list can be sorted by. */
export type Sortable<Item> = {
  [Key in keyof Item]: Item[Key] extends string | number | Date | null ? Key : never;
}[keyof Item] &
  string;

/** Pagination arguments; cursors were created by `toCursor` for the same sort field. */
export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

/**
 * Parses pagination arguments.
 * @param sortKey sort key of the list: cursors of lists with another order are rejected
 * @throws DomainError `invalid_field`
 */
export function parsePage({ first, after, last, before }: PageArguments, sortKey: SortKey): PageRequest {
  if (isPresent(first) && isPresent(last))
    throw invalidField(["last"], "must not be used together with first");
  if (isPresent(last)) requireSize(last, ["last"]);
  if (isPresent(first)) requireSize(first, ["first"]);
  return {
    size: first ?? last ?? DEFAULT_PAGE_SIZE,
    from: isPresent(last) ? "end" : "start",
    after: isPresent(after) ? parseCursor(after, sortKey, ["after"]) : null,
    before: isPresent(before) ? parseCursor(before, sortKey, ["before"]) : null,
  };
}

/** Returns the position of an item in a list that is sorted by a field. */
export function positionOf<Item extends { readonly id: number }>(
  item: Item,
  { property, ifNull = "" }: SortField<keyof Item>,
): Position {
  const value: unknown = item[property];
  if (value instanceof Date) return { value: value.toISOString(), id: item.id };
  return { value: typeof value === "string" || typeof value === "number" ? value : ifNull, id: item.id };
}

/** Returns whether a filter has no conditions. */
export function isEmptyFilter(filter: object): boolean {
  return Object.values(filter).every((condition) => condition === undefined);
}

/** Returns the opaque cursor of a position. */
export function toCursor(sortField: string, { value, id }: Position): string {
  return Buffer.from(JSON.stringify([sortField, value, id])).toString("base64url");
}

/**
 * Creates a page from the query result, which has up to one row more than the page.
 * @param found in the direction of paging
 */
export function toPage<Item>(found: readonly Item[], { size, from }: PageRequest): Page<Item> {
  const items = found.slice(0, size);
  return { items: from === "start" ? items : items.toReversed(), hasMore: found.length > size };
}

function parseCursor(cursor: string, sortKey: SortKey, field: FieldPath): Position {
  const parts = decode(cursor);
  if (Array.isArray(parts) && parts.length === 3) {
    const [sortField, value, id]: unknown[] = parts;
    // Cursors can be forged and reach the database, so the contents are validated.
    if (sortField === sortKey.field && isInternalId(id) && isSortValue(value, sortKey.kind))
      return { value, id };
  }
  throw invalidField(field, "must be a cursor from a list with the same sort order");
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}

function requireSize(size: number, field: FieldPath): void {
  if (size < 0 || size > MAX_PAGE_SIZE) throw invalidField(field, `must be between 0 and ${MAX_PAGE_SIZE}`);
}

function isSortValue(value: unknown, kind: SortKey["kind"]): value is string | number {
  if (kind === "id") return isInternalId(value);
  if (kind === "revision") return isRevisionNumber(value);
  if (typeof value !== "string" || !isStorable(value)) return false;
  return kind === "text" || isTime(value);
}

/** ISO 8601 in JavaScript's format, years 1 to 9999, which PostgreSQL can parse. */
function isTime(text: string): boolean {
  if (!/^(?!0000)\d{4}-/.test(text)) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}
