import { stringify } from "csv-stringify/sync";
import { JsonSource } from "../../../domain/shared/json-source.js";
import type { FileFormat } from "./source-file.js";

/** One record of a file that is written, by the names of its fields, in their order. */
export type ExportedRecord = Readonly<Record<string, unknown>>;

/** Makes the text of records. @param columns what a CSV file begins with */
export class RecordFormatter {
  readonly #format: FileFormat;
  readonly #columns: readonly string[];

  constructor(format: FileFormat, columns: readonly string[]) {
    this.#format = format;
    this.#columns = columns;
  }

  /** What stands before the first record. */
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

/** Objects, and that there are none, as JSON. */
function cellOf(value: unknown): string {
  return typeof value === "string" ? value : jsonOf(value);
}

function jsonOf(value: unknown): string {
  return value instanceof JsonSource ? value.text : JSON.stringify(value);
}
