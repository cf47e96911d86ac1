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
  types: { getTypeParser: () => String },
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

/** Parses a time such as `2026-11-21 16:00:00.123+00`. @returns null for any other format */
function parseUtc(text: string): Date | null {
  if (text[4] !== "-" || text[10] !== " " || !text.endsWith("+00")) return null;
  return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}
