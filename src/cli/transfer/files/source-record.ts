import type { Refusal } from "../../../domain/transfer/refusal.js";

/** One record of a file, by the names of its fields, or why it cannot be read. */
export interface SourceRecord {
  /** The line where it begins, from 1. */
  readonly line: number;
  /** The line where it ends: in CSV, cells may hold line breaks. */
  readonly lastLine: number;
  /** How many bytes of the file end with it. */
  readonly end: number;
  readonly content: Readonly<Record<string, unknown>> | Refusal;
}

/** The field whose objects come as a `JsonSource`: they are stored as they are written. */
export const VERBATIM_FIELD = "properties";

/** A place between two records of a file. */
export interface SourcePosition {
  /** How many bytes lie before it. */
  readonly offset: number;
  /** How many lines do. */
  readonly lines: number;
}

export const START: SourcePosition = { offset: 0, lines: 0 };

/** Longer ones are refused: more than the largest group takes, and little enough to hold in memory. */
export const LONGEST_RECORD_BYTES = 8 * 1024 * 1024;
