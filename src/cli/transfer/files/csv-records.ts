import { Readable } from "node:stream";
import { type Info, parse } from "csv-parse";
import { isObject } from "../../../domain/shared/json.js";
import { JsonSource } from "../../../domain/shared/json-source.js";
import { parseJsonPart } from "../../../domain/shared/json-text.js";
import { OperatorError } from "../../../domain/shared/operator-error.js";
import { catchRefusal, Refusal } from "../../../domain/transfer/refusal.js";
import { MAX_RECORD_BYTES, type SourcePosition, type SourceRecord, VERBATIM_FIELD } from "./source-record.js";

export interface CsvShape {
  readonly columns: readonly string[];
  /** The columns that contain JSON. */
  readonly json: readonly string[];
}

/**
 * Reads CSV (RFC 4180) with a header row. An empty cell is an absent field.
 * @param header the file's header if `chunks` do not start with it; otherwise null
 * @param chunks the bytes from the position on
 * @throws OperatorError for unknown columns, and at the first quoting error, after which record boundaries are unknown
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  from: SourcePosition,
  header: CsvHeader | null,
  shape: CsvShape,
): AsyncGenerator<SourceRecord> {
  let columns = header?.columns;
  for await (const { info, record } of rowsOf(chunks, header?.lineEnd)) {
    if (!columns) {
      columns = requireColumns(record, shape);
      continue;
    }
    const inside = record.reduce((sum, cell) => sum + newLinesOf(cell), 0);
    const lastLine = from.lines + info.lines;
    const content = toFields(columns, record, shape);
    yield { line: lastLine - inside, lastLine, end: from.offset + info.bytes, content };
  }
  if (!columns) requireColumns([], shape);
}

/** The header of a CSV file. */
export interface CsvHeader {
  /** Column names. */
  readonly columns: readonly string[];
  /** Line break of the first line, and thus of all others; undefined if there is only one line. */
  readonly lineEnd: string | undefined;
}

/** Reads the header of a file. @param chunks its bytes from the start @throws as `readCsv` does */
export async function readCsvHeader(chunks: AsyncIterable<Uint8Array>, shape: CsvShape): Promise<CsvHeader> {
  const read: Uint8Array[] = [];
  async function* recordedChunks() {
    for await (const chunk of chunks) {
      read.push(chunk);
      yield chunk;
    }
  }
  for await (const { record } of rowsOf(recordedChunks(), undefined)) {
    const columns = requireColumns(record, shape);
    // Column names contain no line breaks.
    const [lineEnd] = /\r\n|\n|\r/.exec(Buffer.concat(read).toString("latin1")) ?? [];
    return { columns, lineEnd };
  }
  return { columns: requireColumns([], shape), lineEnd: undefined };
}

interface Row {
  readonly info: Info;
  readonly record: readonly string[];
}

/** @param lineEnd undefined to use that of the first line */
async function* rowsOf(chunks: AsyncIterable<Uint8Array>, lineEnd: string | undefined): AsyncGenerator<Row> {
  let syntaxError: { readonly error: Error; readonly after: unknown } | undefined;
  const parser = parse({
    bom: true,
    record_delimiter: lineEnd === undefined ? [] : [lineEnd],
    // Otherwise the records before the syntax error would be lost.
    skip_records_with_error: true,
    on_skip(error) {
      if (error) syntaxError ??= { error, after: Reflect.get(error, "records") };
      return undefined;
    },
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
  });
  const input = Readable.from(requireUtf8(chunks), { objectMode: false });
  // Forward read errors of the file to the consumer of the records.
  input.on("error", (error) => parser.destroy(error));
  let count = 0;
  try {
    for await (const row of input.pipe(parser)) {
      if (count === syntaxError?.after) break;
      yield row;
      count += 1;
    }
  } finally {
    input.destroy();
  }
  if (!syntaxError) return;
  const { error } = syntaxError;
  throw new OperatorError(`invalid_csv: ${error.message}. The rest of the file was not read.`, {
    cause: error,
  });
}

/** Rejects invalid UTF-8, which the parser would replace by U+FFFD. */
async function* requireUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of chunks) {
    try {
      decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw new OperatorError("invalid_csv: the file is not UTF-8 text. Save it as UTF-8.", { cause });
    }
    yield chunk;
  }
}

function requireColumns(names: readonly string[], { columns }: CsvShape): readonly string[] {
  const unknown = names.filter((name) => !columns.includes(name));
  const isRepeated = new Set(names).size < names.length;
  if (names.length > 0 && unknown.length === 0 && !isRepeated) return names;
  const found = names.length === 0 ? "the file is empty" : `it is ${JSON.stringify(names.join(","))}`;
  throw new OperatorError(
    `invalid_csv: the first line must be a header with columns out of ${columns.join(", ")}, each at most once; ${found}.`,
  );
}

function toFields(
  columns: readonly string[],
  record: readonly string[],
  { json }: CsvShape,
): SourceRecord["content"] {
  if (record.length !== columns.length) {
    const message = `The line has ${record.length} cells, but the header has ${columns.length} columns.`;
    return new Refusal("invalid_csv", message);
  }
  const fields: [string, unknown][] = [];
  for (const [index, column] of columns.entries()) {
    const cell = record[index] ?? "";
    if (cell === "") continue;
    if (!json.includes(column)) {
      fields.push([column, cell]);
      continue;
    }
    const value = catchRefusal(() => parseJsonPart(cell, "The cell"));
    if (value instanceof Refusal) return new Refusal(value.code, value.message, [column]);
    fields.push([column, column === VERBATIM_FIELD && isObject(value) ? new JsonSource(cell) : value]);
  }
  return Object.fromEntries(fields);
}

function newLinesOf(cell: string): number {
  let count = 0;
  for (let at = cell.indexOf("\n"); at !== -1; at = cell.indexOf("\n", at + 1)) count += 1;
  return count;
}
