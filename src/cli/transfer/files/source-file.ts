import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { OperatorError, UsageError } from "../../../domain/shared/operator-error.js";
import { type CsvShape, readCsv, readCsvHeader } from "./csv-records.js";
import { readJsonLines } from "./json-lines.js";
import type { SourcePosition, SourceRecord } from "./source-record.js";

export const FILE_FORMATS = ["jsonl", "csv"] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

const CHUNK_BYTES = 256 * 1024;

/** A source file of an import. */
export interface SourceFile {
  /** Display name. */
  readonly name: string;
  /** Size in bytes; null for standard input. */
  readonly bytes: number | null;
  /** Identifies path, format and state of the file; null for standard input, which cannot be read again. */
  readonly version: string | null;
  /** @throws OperatorError if it cannot be read */
  records(from: SourcePosition): AsyncIterable<SourceRecord>;
}

/**
 * Opens a source file.
 * @param path `-` is standard input
 * @throws OperatorError if it cannot be read, or no format is set and the extension is unknown
 */
export async function openSourceFile(
  path: string,
  format: FileFormat | undefined,
  shape: CsvShape,
  input: AsyncIterable<Uint8Array>,
): Promise<SourceFile> {
  const known = format ?? formatOf(path);
  if (path === "-") {
    const name = "standard input";
    const records = (from: SourcePosition) =>
      withFileName(name, known === "csv" ? readCsv(input, from, null, shape) : readJsonLines(input, from));
    return { name, bytes: null, version: null, records };
  }
  const { size, mtimeMs } = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return {
    name: path,
    bytes: size,
    version: `${path} ${known} ${size} ${mtimeMs}`,
    records: (from) => withFileName(path, readFrom(path, known, from, shape)),
  };
}

/** Returns the format for a file name. @throws OperatorError if the extension is unknown */
export function formatOf(path: string): FileFormat {
  if (/\.(jsonl|ndjson)$/i.test(path)) return "jsonl";
  if (/\.csv$/i.test(path)) return "csv";
  throw new UsageError(
    `The format of ${JSON.stringify(path)} is unknown. Add --format jsonl or --format csv.`,
  );
}

async function* readFrom(
  path: string,
  format: FileFormat,
  from: SourcePosition,
  shape: CsvShape,
): AsyncGenerator<SourceRecord> {
  if (format === "jsonl") {
    yield* readJsonLines(chunksOf(path, from.offset), from);
    return;
  }
  const header = from.offset > 0 ? await readCsvHeader(chunksOf(path, 0), shape) : null;
  yield* readCsv(chunksOf(path, from.offset), from, header, shape);
}

async function* chunksOf(path: string, start: number): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path, { start, highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of file) yield chunk;
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    file.destroy();
  }
}

/** Prefixes errors with the file name. */
async function* withFileName(
  name: string,
  records: AsyncIterable<SourceRecord>,
): AsyncGenerator<SourceRecord> {
  try {
    yield* records;
  } catch (error) {
    throw error instanceof OperatorError
      ? new OperatorError(`${name}: ${error.message}`, { cause: error })
      : error;
  }
}

function unreadable(path: string, error: unknown): OperatorError {
  const reason = error instanceof Error ? error.message : String(error);
  return new OperatorError(`Cannot read ${JSON.stringify(path)}: ${reason}.`, { cause: error });
}
