import type { LineIndex } from "./document/line-index.js";
import { SITE_CONFIG_CODES, type SiteConfigCode, type SiteConfigSeverity } from "./finding-codes.js";
import type { SiteConfigFinding, SiteConfigReport } from "./report.js";

/** Limits on findings: without them, a hostile document could produce a thousand times its own size. */
const MAX_FINDINGS = 10_000;
const MAX_POINTER_CHARACTERS = 4_000_000;

/** The location of a finding: the offset of the value, or of the key if the key is the problem. */
export interface FindingPlace {
  readonly pointer: string;
  readonly offset: number;
}

interface RecordedFinding {
  readonly severity: SiteConfigSeverity;
  readonly offset: number;
  readonly finding: SiteConfigFinding;
}

/** Collects the findings of one document in any order. */
export class FindingCollector {
  readonly #recorded: RecordedFinding[] = [];
  readonly #seen = {
    error: { count: 0, characters: 0 },
    warning: { count: 0, characters: 0 },
  };

  /** @param message a function if formatting is expensive, because the message may not be needed */
  add(code: SiteConfigCode, { pointer, offset }: FindingPlace, message: string | (() => string)): void {
    const { severity } = SITE_CONFIG_CODES[code];
    const seen = this.#seen[severity];
    if (seen.count > MAX_FINDINGS || seen.characters > MAX_POINTER_CHARACTERS) return;
    seen.count += 1;
    seen.characters += pointer.length;
    if (seen.count > MAX_FINDINGS || seen.characters > MAX_POINTER_CHARACTERS) {
      const overflowCode = severity === "error" ? "more_errors" : "more_warnings";
      const text = `There are more ${severity}s than the ${seen.count - 1} listed.`;
      this.#recorded.push({ severity, offset, finding: { code: overflowCode, pointer: "", message: text } });
    } else {
      this.#recorded.push({
        severity,
        offset,
        finding: { code, pointer, message: typeof message === "string" ? message : message() },
      });
    }
  }

  /** @param lineIndex line index of the source text; without it, findings have no line and column */
  report(options: { readonly strict: boolean }, lineIndex?: () => LineIndex): SiteConfigReport {
    const lines = this.#recorded.length === 0 ? undefined : lineIndex?.();
    const ordered = this.#recorded.toSorted((one, other) => one.offset - other.offset);
    const findings = (severity: SiteConfigSeverity) =>
      ordered
        .filter((recorded) => (options.strict ? "error" : recorded.severity) === severity)
        .map(({ finding, offset }) => (lines ? { ...finding, ...lines.positionOf(offset) } : finding));
    const errors = findings("error");
    return { valid: errors.length === 0, errors, warnings: findings("warning") };
  }
}
