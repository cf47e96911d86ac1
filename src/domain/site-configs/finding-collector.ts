import type { LineIndex } from "./document/line-index.js";
import {
  type IssueCode,
  type NoticeCode,
  SITE_CONFIG_CODES,
  type SiteConfigSeverity,
} from "./finding-codes.js";
import type { SiteConfigFinding, SiteConfigReport } from "./report.js";

/** Limits on findings: without them, a hostile document could produce a thousand times its own size. */
const MAX_FINDINGS = 1_000;
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
  /** By kind. The format has few kinds, so no limit is needed. */
  readonly #notices = new Map<string, { readonly first: RecordedFinding; count: number }>();
  readonly #seen = {
    error: { count: 0, characters: 0 },
    warning: { count: 0, characters: 0 },
  };

  /** Whether further errors are not listed. */
  get hasMaxErrors(): boolean {
    return this.#seen.error.count > MAX_FINDINGS;
  }

  /** @param message a function if formatting is expensive, because the message may not be needed */
  add(code: IssueCode, { pointer, offset }: FindingPlace, message: string | (() => string)): void {
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

  /** Adds a notice; those of the same kind are reported once, with their number and the first place. */
  addNotice(code: NoticeCode, kind: string, { pointer, offset }: FindingPlace, message: () => string): void {
    const known = this.#notices.get(kind);
    if (known) known.count += 1;
    else {
      const finding = { code, pointer, message: message() };
      this.#notices.set(kind, { first: { severity: "notice", offset, finding }, count: 1 });
    }
  }

  /** @param lineIndex line index of the source text; without it, findings have no line and column */
  report(options: { readonly strict: boolean }, lineIndex?: () => LineIndex): SiteConfigReport {
    const recorded = [...this.#recorded, ...[...this.#notices.values()].map(summarize)];
    const lines = recorded.length === 0 ? undefined : lineIndex?.();
    const ordered = recorded.toSorted((one, other) => one.offset - other.offset);
    const findings = (...severities: readonly SiteConfigSeverity[]) =>
      ordered
        .filter(({ severity }) => severities.includes(severity))
        .map(({ finding, offset }) => (lines ? { ...finding, ...lines.positionOf(offset) } : finding));
    const errors = options.strict ? findings("error", "warning") : findings("error");
    return {
      valid: errors.length === 0,
      errors,
      warnings: options.strict ? [] : findings("warning"),
      notices: findings("notice"),
    };
  }
}

function summarize({ first, count }: { readonly first: RecordedFinding; readonly count: number }) {
  if (count === 1) return first;
  const { finding } = first;
  return {
    ...first,
    finding: { ...finding, message: `${finding.message} Found in ${count} places.`, count },
  };
}
