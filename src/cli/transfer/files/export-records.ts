import { stringify } from "csv-stringify/sync";
import { JsonSource } from "../../../domain/shared/json-source.js";
import type { FileFormat } from "./source-file.js";

/** One exported record: field names and values in order. */
export type ExportedRecord = Readonly<Record<string, unknown>>;

/** Formats records. @param columns columns of a CSV file */
export class RecordFormatter {
  readonly #format: FileFormat;
  readonly #columns: readonly string[];

  constructor(format: FileFormat, columns: readonly string[]) {
    this.#format = format;
    this.#columns = columns;
  }

  /** The header, written before the first record. */
  get head(): string {
    return this.#format === "csv" ? stringify([[...this.#columns]]) : "";
  }

  textOf(records: readonly ExportedRecord[]): string {
    if (this.#format === "jsonl") return records.map((record) => `${lineOf(record)}\n`).join("");
    return stringify(records.map((record) => this.#columns.map((column) => cellOf(record[column]))));
  }
}

function lineOf(record: ExportedRecord): string {
  const members = Object.entries(record).map(([key, value]) => `${JSON.stringify(key)}:${jsonOf(value)}`);
  return `{${members.join(",")}}`;
}

/** Formats objects and null as JSON. */
function cellOf(value: unknown): string {
  return typeof value === "string" ? value : jsonOf(value);
}

function jsonOf(value: unknown): string {
  return value instanceof JsonSource ? value.text : JSON.stringify(value);
}
