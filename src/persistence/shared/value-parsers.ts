import { types } from "pg";

/** The driver's parsers, but numbers for `bigint`, which it returns as text, and a faster one for `timestamptz`: nearly every row has two. */
export const VALUE_PARSERS = {
  getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown {
    const parser: (text: string) => unknown = types.getTypeParser(oid, format ?? "text");
    if (format === "binary") return parser;
    if (oid === types.builtins.INT8) return readInteger;
    if (oid !== types.builtins.TIMESTAMPTZ) return parser;
    return (text) => parseUtc(text) ?? parser(text);
  },
};

/** Query options that return rows as arrays of unparsed texts. */
export const TEXT_ROWS = {
  rowMode: "array",
  types: { getTypeParser: () => (text: string) => text },
} as const;

/** Parses an integer. @throws RangeError beyond 2^53, as JavaScript's numbers would return another one */
function readInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`The database returned ${text}, which is not an integer up to 2^53.`);
}

export function readTime(text: string): Date {
  const time = parseUtc(text);
  if (time) return time;
  const read: unknown = types.getTypeParser(types.builtins.TIMESTAMPTZ)(text);
  if (read instanceof Date) return read;
  throw new TypeError("The database returned an invalid timestamp.");
}

/** Parses a `bytea` in hex format, PostgreSQL's default. */
export function readBytes(text: string): Buffer {
  return Buffer.from(text.slice(HEX_PREFIX.length), "hex");
}

/** Prefix of a `bytea` in hex format. */
export const HEX_PREFIX = "\\x";

/** PostgreSQL's text format in UTC; up to six fractional digits, without trailing zeros, precede the offset. */
const UTC_LENGTH = "0000-00-00 00:00:00+00".length;
const FRACTION_LENGTH = ".000000".length;

/** Parses a time such as `2026-11-21 16:00:00.123+00`. @returns null for any other format */
function parseUtc(text: string): Date | null {
  const fraction = text.length - UTC_LENGTH;
  if (fraction < 0 || fraction > FRACTION_LENGTH || text[4] !== "-" || text[10] !== " ") return null;
  if (!text.endsWith("+00")) return null;
  const at = (index: number) => (index < text.length - 3 ? text.charCodeAt(index) - 48 : 0);
  const two = (index: number) => 10 * at(index) + at(index + 1);
  const year = 100 * two(0) + two(2);
  // Date.UTC maps years 0 to 99 to 1900 to 1999.
  if (year < 100) return null;
  const milliseconds = fraction === 0 ? 0 : 100 * at(20) + 10 * at(21) + at(22);
  return new Date(Date.UTC(year, two(5) - 1, two(8), two(11), two(14), two(17), milliseconds));
}
