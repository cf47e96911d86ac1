import { type FieldPath, invalidField } from "./errors.js";
import { parseInternalId } from "./internal-id.js";
import { isGiven } from "./json.js";
import { isStorable } from "./text-field.js";

/** The most items of one page, and how many there are when nothing is said. */
export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 20;

/** The place of an item in a list: the value it is sorted by, and its id, which tells equal values apart. */
export interface Position {
  readonly value: string | number;
  readonly id: number;
}

/** Which part of a list is asked for: at most `size` items between two positions, from the first or the last of them. */
export interface PageRequest {
  readonly size: number;
  readonly from: "start" | "end";
  readonly after: Position | null;
  readonly before: Position | null;
}

/** A part of a list, in the list's order. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Whether the list goes on at the far end of the page, seen in the direction of paging. */
  readonly hasMore: boolean;
}

/** What a list is sorted by, and of what kind the values are. */
export interface SortKey {
  readonly field: string;
  /** Internal ids are 32-bit integers, serial numbers integers of up to 2^53. */
  readonly kind: "id" | "serial" | "text" | "time";
  /** What the items' ids are, where the list is not sorted by them: `id` unless set. */
  readonly idKind?: "serial";
}

/** What a caller says about the page; a cursor was made by `toCursor` for the same sort field. */
export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

/**
 * Reads what page is asked for.
 * @param sortKey what the list is sorted by: a cursor of a list that is sorted otherwise has no place in it
 * @throws DomainError `invalid_field`
 */
export function parsePage({ first, after, last, before }: PageArguments, sortKey: SortKey): PageRequest {
  if (isGiven(first) && isGiven(last)) throw invalidField(["last"], "must not be given together with first");
  if (isGiven(last)) requireSize(last, ["last"]);
  if (isGiven(first)) requireSize(first, ["first"]);
  return {
    size: first ?? last ?? DEFAULT_PAGE_SIZE,
    from: isGiven(last) ? "end" : "start",
    after: isGiven(after) ? parseCursor(after, sortKey, ["after"]) : null,
    before: isGiven(before) ? parseCursor(before, sortKey, ["before"]) : null,
  };
}

/** Says whether a list with this filter has everything: none of its conditions is set. */
export function filtersNothing(filter: object): boolean {
  return Object.values(filter).every((condition) => condition === undefined);
}

/** The cursor of a position: opaque to callers. */
export function toCursor(sortField: string, { value, id }: Position): string {
  return Buffer.from(JSON.stringify([sortField, value, id])).toString("base64url");
}

/**
 * Puts together a page from the rows that were found, one more than the page holds.
 * @param found in the direction of paging
 */
export function toPage<Item>(found: readonly Item[], { size, from }: PageRequest): Page<Item> {
  const items = found.slice(0, size);
  return { items: from === "start" ? items : items.toReversed(), hasMore: found.length > size };
}

function parseCursor(cursor: string, sortKey: SortKey, field: FieldPath): Position {
  const parts = decode(cursor);
  if (Array.isArray(parts) && parts.length === 3) {
    const [madeFor, value, id]: unknown[] = parts;
    // A cursor may be forged: what is in it goes to the database, so it must be what we would have put there.
    if (
      madeFor === sortKey.field &&
      isIdOf(sortKey.idKind ?? sortKey.kind, id) &&
      isSortValue(value, sortKey.kind)
    )
      return { value, id };
  }
  throw invalidField(field, "must be a cursor of a list in this order");
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}

function requireSize(size: number, field: FieldPath): void {
  if (size < 0 || size > MAX_PAGE_SIZE) throw invalidField(field, `must be from 0 to ${MAX_PAGE_SIZE}`);
}

function isId(value: unknown): value is number {
  return typeof value === "number" && parseInternalId(String(value)) !== null;
}

function isIdOf(kind: SortKey["kind"], id: unknown): id is number {
  return kind === "serial" ? isSerial(id) : isId(id);
}

function isSerial(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isSortValue(value: unknown, kind: SortKey["kind"]): value is string | number {
  if (kind === "id" || kind === "serial") return isIdOf(kind, value);
  if (typeof value !== "string" || !isStorable(value)) return false;
  return kind === "text" || isTime(value);
}

/** ISO 8601 as JavaScript writes it, in the years 1 to 9999, which PostgreSQL reads. */
function isTime(text: string): boolean {
  if (!/^(?!0000)\d{4}-/.test(text)) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}
