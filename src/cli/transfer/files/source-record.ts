import type { Refusal } from "../../../domain/transfer/refusal.js";

/** One record of a file by field names, or the reason why it is invalid. */
export interface SourceRecord {
  /** First line, from 1. */
  readonly line: number;
  /** Last line: CSV cells may contain line breaks. */
  readonly lastLine: number;
  /** Byte offset of the end of the record. */
  readonly end: number;
  readonly content: Readonly<Record<string, unknown>> | Refusal;
}

/** The field whose objects are read as `JsonSource`, because their text is stored as written. */
export const VERBATIM_FIELD = "properties";

/** A position between two records of a file. */
export interface SourcePosition {
  /** Number of bytes before it. */
  readonly offset: number;
  /** Number of lines before it. */
  readonly lines: number;
}

export const START: SourcePosition = { offset: 0, lines: 0 };

/** Longer records are rejected. The limit exceeds the largest possible group and fits into memory. */
export const MAX_RECORD_BYTES = 8 * 1024 * 1024;
