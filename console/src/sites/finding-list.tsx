import type { SiteConfigFinding, SiteConfigReport } from "@user-groups/site-config";
import { bySeverity, type SeverityGroup, summaryOf } from "./severities.js";

const TITLES = { error: "Errors", warning: "Warnings", notice: "Notices" } as const;
const BADGES = { error: "badge bad", warning: "badge warning", notice: "badge customer" } as const;
const MEANINGS = {
  error: "The configuration cannot be saved until these are fixed.",
  warning: "Probably not what you meant.",
  notice: "In use, but not part of the documented format. Nothing to do.",
} as const;

interface FindingListProps {
  /** The report of an earlier text while `isChecking`. */
  readonly report: SiteConfigReport;
  readonly isChecking: boolean;
  readonly onGoTo: (line: number, column: number) => void;
}

/** The findings in a site configuration by severity, with links to their positions. */
export function FindingList({ report, isChecking, onGoTo }: FindingListProps) {
  const groups = bySeverity(report);
  return (
    <section className="findings" aria-labelledby="findings" aria-busy={isChecking}>
      <h2 id="findings">Findings</h2>
      <p className="fine" role="status">
        {isChecking ? "Checking…" : summaryOf(groups)}
      </p>
      {groups.map((group) => (
        <Group key={group.severity} group={group} onGoTo={onGoTo} />
      ))}
    </section>
  );
}

interface GroupProps extends Pick<FindingListProps, "onGoTo"> {
  readonly group: SeverityGroup;
}

/** Findings of one severity. Notices, which need no action, are collapsed. */
function Group({ group: { severity, findings }, onGoTo }: GroupProps) {
  return (
    <details className="finding-group" open={severity !== "notice"}>
      <summary>
        <span className={BADGES[severity]}>{TITLES[severity]}</span> {findings.length}
      </summary>
      <p className="fine">{MEANINGS[severity]}</p>
      <ul>
        {findings.map((finding) => (
          <Finding key={keyOf(finding)} finding={finding} onGoTo={onGoTo} />
        ))}
      </ul>
    </details>
  );
}

interface FindingProps extends Pick<FindingListProps, "onGoTo"> {
  readonly finding: SiteConfigFinding;
}

function Finding({ finding: { line, column, pointer, message, code }, onGoTo }: FindingProps) {
  return (
    <li className="finding">
      {message}
      <span className="fine below">
        {line !== undefined && column !== undefined && (
          <button type="button" className="link" onClick={() => onGoTo(line, column)}>
            Line {line}, column {column}
          </button>
        )}{" "}
        {pointer && <code>{pointer}</code>} <code>{code}</code>
      </span>
    </li>
  );
}

function keyOf({ pointer, code, line, column, message }: SiteConfigFinding): string {
  return [pointer, code, line, column, message].join(" ");
}
