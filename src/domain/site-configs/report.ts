import type { SiteConfigCode } from "./finding-codes.js";

/** One error or warning. */
export interface SiteConfigFinding {
  readonly code: SiteConfigCode;
  /** JSON Pointer (RFC 6901); for a missing property, that of the object. */
  readonly pointer: string;
  readonly message: string;
  /** From 1; only for text. */
  readonly line?: number;
  /** From 1, in UTF-16 code units as in editors; only for text. */
  readonly column?: number;
}

/** The result of a validation; both lists are in document order. */
export interface SiteConfigReport {
  readonly valid: boolean;
  readonly errors: readonly SiteConfigFinding[];
  readonly warnings: readonly SiteConfigFinding[];
}

/** Removes line and column, for clients that have never seen the text. */
export function withoutPositions({ valid, errors, warnings }: SiteConfigReport): SiteConfigReport {
  const strip = ({ code, pointer, message }: SiteConfigFinding) => ({ code, pointer, message });
  return { valid, errors: errors.map(strip), warnings: warnings.map(strip) };
}
