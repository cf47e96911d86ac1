import type { SiteConfigCode } from "./finding-codes.js";

/** One error or warning, or all notices of a kind. */
export interface SiteConfigFinding {
  readonly code: SiteConfigCode;
  /** JSON Pointer (RFC 6901); for a missing property, that of the object. */
  readonly pointer: string;
  readonly message: string;
  /** From 1; only for text. */
  readonly line?: number;
  /** From 1, in UTF-16 code units as in editors; only for text. */
  readonly column?: number;
  /** The number of places, of which this is the first; only for notices that concern several. */
  readonly count?: number;
}

/** The result of a validation; the lists are in document order. */
export interface SiteConfigReport {
  readonly valid: boolean;
  readonly errors: readonly SiteConfigFinding[];
  readonly warnings: readonly SiteConfigFinding[];
  readonly notices: readonly SiteConfigFinding[];
}

/** Removes line and column, for clients that have never seen the text. */
export function withoutPositions({ valid, errors, warnings, notices }: SiteConfigReport): SiteConfigReport {
  const strip = ({ line: _line, column: _column, ...finding }: SiteConfigFinding) => finding;
  return { valid, errors: errors.map(strip), warnings: warnings.map(strip), notices: notices.map(strip) };
}
