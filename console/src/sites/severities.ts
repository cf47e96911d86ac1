import type { FindingPartsFragment, ReportPartsFragment } from "../api/generated/operations.js";
import { plural } from "../parts/plural.js";

export type Severity = "error" | "warning" | "notice";

export interface SeverityGroup {
  readonly severity: Severity;
  readonly findings: readonly FindingPartsFragment[];
}

/** Returns the findings of a report by severity, the most severe first. Severities without findings are omitted. */
export function bySeverity(report: ReportPartsFragment): readonly SeverityGroup[] {
  return (["error", "warning", "notice"] as const)
    .map((severity) => ({ severity, findings: report[`${severity}s`] ?? [] }))
    .filter(({ findings }) => findings.length > 0);
}

/** Returns, for example, "1 error, 2 warnings". */
export function summaryOf(groups: readonly SeverityGroup[]): string {
  if (groups.length === 0) return "No findings. The configuration is valid.";
  return groups.map(({ severity, findings }) => plural(findings.length, severity)).join(", ");
}
