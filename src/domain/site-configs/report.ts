import type { SiteConfigCode } from "./codes.js";

/** One thing that is wrong, or should be looked at. */
export interface SiteConfigFinding {
  readonly code: SiteConfigCode;
  /** RFC 6901; for what is missing, the object that lacks it. */
  readonly pointer: string;
  readonly message: string;
  /** From 1; only when text was checked. */
  readonly line?: number;
  /** From 1, in UTF-16 code units as editors count; only when text was checked. */
  readonly column?: number;
}

/** What a check found; both lists are in the order of the document. */
export interface SiteConfigReport {
  /** Whether there are no errors. */
  readonly valid: boolean;
  readonly errors: readonly SiteConfigFinding[];
  readonly warnings: readonly SiteConfigFinding[];
}

/** Leaves out line and column, for whoever has never seen the text that they count in. */
export function withoutPlaces({ valid, errors, warnings }: SiteConfigReport): SiteConfigReport {
  const strip = ({ code, pointer, message }: SiteConfigFinding) => ({ code, pointer, message });
  return { valid, errors: errors.map(strip), warnings: warnings.map(strip) };
}
