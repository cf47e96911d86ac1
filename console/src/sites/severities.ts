import type { SiteConfigFinding, SiteConfigReport, SiteConfigSeverity } from "@user-groups/site-config";
import { plural } from "../parts/plural.js";

export interface SeverityGroup {
  readonly severity: SiteConfigSeverity;
  readonly findings: readonly SiteConfigFinding[];
}

/** Returns the findings of a report by severity, the most severe first. Severities without findings are omitted. */
export function bySeverity(report: SiteConfigReport): readonly SeverityGroup[] {
  return (["error", "warning", "notice"] as const)
    .map((severity) => ({ severity, findings: report[`${severity}s`] }))
    .filter(({ findings }) => findings.length > 0);
}

/** Returns, for example, "1 error, 2 warnings". */
export function summaryOf(groups: readonly SeverityGroup[]): string {
  if (groups.length === 0) return "No findings. The configuration is valid.";
  return groups.map(({ severity, findings }) => plural(findings.length, severity)).join(", ");
}
