import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { parse } from "csv-parse";
import { isObject } from "../../domain/shared/json.js";
import { decodeText, parseJsonText } from "../../domain/shared/json-text.js";
import { OperatorError, UsageError } from "../../domain/shared/operator-error.js";
import { JsonSource, withSource } from "../../domain/shared/stored-json.js";
import { catchRefusal, type FileRecord, type RecordFormat, Refusal } from "../../domain/transfer/record.js";

export const FILE_FORMATS = ["jsonl", "csv"] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

/** Returns the format for a file name. @throws UsageError if the extension is unknown */
export function formatOf(path: string): FileFormat {
  if (/\.(jsonl|ndjson)$/i.test(path)) return "jsonl";
  if (/\.csv$/i.test(path)) return "csv";
  throw new UsageError(
    `The format of ${JSON.stringify(path)} is unknown. Add --format jsonl or --format csv.`,
  );
}

/** One record of a file by field names, or the reason why it is invalid. */
export interface SourceRecord {
  /** First line, from 1. */
  readonly line: number;
  readonly bytes: number;
  readonly content: FileRecord | Refusal;
}

/** A source file of an import, which can be read once. */
export interface SourceFile {
  /** Display name. */
  readonly name: string;
  /** @throws OperatorError if the file cannot be read */
  readonly records: AsyncIterable<SourceRecord>;
}

/** Longer records are rejected. The limit exceeds the largest possible group and fits into memory. */
export const MAX_RECORD_BYTES = 8 * 1024 * 1024;

const CHUNK_BYTES = 256 * 1024;
const NEW_LINE = 0x0a;
/** The field whose objects are read as `JsonSource`, because their text is stored as written. */
const VERBATIM_FIELD = "properties";

/**
 * Opens a source file.
 * @param path `-` is standard input
 * @throws OperatorError if it does not exist, or no format is set and the extension is unknown
 */
export async function openSourceFile(
  path: string,
  format: FileFormat | undefined,
  kind: RecordFormat,
  input: AsyncIterable<Uint8Array>,
): Promise<SourceFile> {
  const read = (format ?? formatOf(path)) === "csv" ? readCsv : readJsonLines;
  if (path === "-") {
    const name = "standard input";
    return { name, records: reportUnreadable(name, read(input, kind)) };
  }
  await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  async function* records() {
    yield* read(createReadStream(path, { highWaterMark: CHUNK_BYTES }), kind);
  }
  return { name: path, records: reportUnreadable(path, records()) };
}

async function* reportUnreadable(
  name: string,
  records: AsyncIterable<SourceRecord>,
): AsyncGenerator<SourceRecord> {
  try {
    yield* records;
  } catch (error) {
    throw unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): OperatorError {
  const reason = error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
  return new OperatorError(`Cannot read ${JSON.stringify(name)}: ${reason}.`, { cause: error });
}

/** Reads JSON Lines: a JSON object on each line. Empty lines are skipped but counted. */
async function* readJsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SourceRecord> {
  let line = 0;
  for await (const text of linesOf(chunks)) {
    line += 1;
    if (text === null) {
      const message = `The line has more than ${MAX_RECORD_BYTES} bytes.`;
      yield { line, bytes: 0, content: new Refusal("payload_too_large", message) };
    } else if (!text.every((byte) => byte <= 0x20)) {
      yield { line, bytes: text.length, content: readLine(text) };
    }
  }
}

/** Splits text into lines; null is a line that is too long. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer | null> {
  let rest = Buffer.alloc(0);
  let isTooLong = false;
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NEW_LINE, rest.length); end !== -1; end = bytes.indexOf(NEW_LINE, start)) {
      yield isTooLong || end - start > MAX_RECORD_BYTES ? null : bytes.subarray(start, end);
      isTooLong = false;
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length <= MAX_RECORD_BYTES) continue;
    isTooLong = true;
    rest = Buffer.alloc(0);
  }
  if (isTooLong) yield null;
  else if (rest.length > 0) yield rest;
}

function readLine(bytes: Buffer): SourceRecord["content"] {
  return catchRefusal(() => {
    const text = decodeText(bytes, "The line");
    const value = parseJsonText(text, "The line");
    if (!isObject(value)) return new Refusal("invalid_json", "The line must be a JSON object.");
    return withSource(value, VERBATIM_FIELD, text);
  });
}

/**
 * Reads CSV (RFC 4180) in UTF-8 with a header row. An empty cell is an absent field.
 * @throws Error for unknown columns, other encodings, and quoting errors, after which record boundaries are unknown
 */
async function* readCsv(chunks: AsyncIterable<Uint8Array>, kind: RecordFormat): AsyncGenerator<SourceRecord> {
  let hasHeader = false;
  const parser = parse({
    bom: true,
    columns(names: string[]) {
      hasHeader = true;
      return requireColumns(names, kind);
    },
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
  });
  // The parser passes all errors on.
  pipeline(decodeUtf8(chunks), parser, () => undefined);
  for await (const row of parser) yield readRow(row, kind);
  if (!hasHeader) requireColumns([], kind);
}

/** Decodes strictly: the parser would replace invalid bytes by U+FFFD. */
async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

interface CsvRow {
  readonly info: { readonly lines: number; readonly error?: Error | undefined };
  readonly record: Readonly<Record<string, string>>;
}

function readRow({ info, record }: CsvRow, { json }: RecordFormat): SourceRecord {
  const text = Object.values(record).join();
  const line = info.lines - (text.split("\n").length - 1);
  const row = { line, bytes: text.length };
  if (info.error) return { ...row, content: new Refusal("invalid_csv", `${info.error.message}.`) };
  const fields: Record<string, unknown> = {};
  for (const [column, cell] of Object.entries(record)) {
    if (cell === "") continue;
    const value = json.includes(column) ? catchRefusal(() => parseJsonText(cell, "The cell")) : cell;
    if (value instanceof Refusal)
      return { ...row, content: new Refusal(value.code, value.message, [column]) };
    fields[column] = column === VERBATIM_FIELD && isObject(value) ? new JsonSource(cell) : value;
  }
  return { ...row, content: fields };
}

function requireColumns(names: string[], { fields }: RecordFormat): string[] {
  const unknown = names.filter((name) => !fields.includes(name));
  const isRepeated = new Set(names).size < names.length;
  if (names.length > 0 && unknown.length === 0 && !isRepeated) return names;
  const found = names.length === 0 ? "the file is empty" : `it is ${JSON.stringify(names.join(","))}`;
  throw new Error(
    `the first line must be a header with columns out of ${fields.join(", ")}, each at most once; ${found}`,
  );
}
