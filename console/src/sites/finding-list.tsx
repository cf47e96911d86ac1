import type { FindingPartsFragment } from "../api/generated/operations.js";
import { Problem } from "../parts/problem.js";
import { bySeverity, type SeverityGroup, summaryOf } from "./severities.js";
import type { Findings } from "./use-findings.js";

const TITLES = { error: "Errors", warning: "Warnings", notice: "Notices" } as const;
const BADGES = { error: "badge bad", warning: "badge warning", notice: "badge customer" } as const;
const MEANINGS = {
  error: "The configuration cannot be saved until these are fixed.",
  warning: "Probably not what you meant.",
  notice: "In use, but not part of the documented format. Nothing to do.",
} as const;

interface FindingListProps {
  readonly findings: Findings;
  readonly onGoTo: (line: number, column: number) => void;
}

/** The findings in a site configuration by severity, with links to their positions. */
export function FindingList({ findings: { report, failure, isChecking }, onGoTo }: FindingListProps) {
  const groups = report ? bySeverity(report) : [];
  return (
    <section className="findings" aria-labelledby="findings" aria-busy={isChecking}>
      <h2 id="findings">Findings</h2>
      <p className="fine" role="status">
        {report && !isChecking ? summaryOf(groups) : failure ? "" : "Checking…"}
      </p>
      <Problem failure={failure} />
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
  readonly finding: FindingPartsFragment;
}

function Finding({ finding: { line, column, pointer, message, code }, onGoTo }: FindingProps) {
  return (
    <li className="finding">
      {message}
      <span className="fine below">
        {line !== null && column !== null && (
          <button type="button" className="link" onClick={() => onGoTo(line, column)}>
            Line {line}, column {column}
          </button>
        )}{" "}
        {pointer && <code>{pointer}</code>} <code>{code}</code>
      </span>
    </li>
  );
}

function keyOf({ pointer, code, line, column, message }: FindingPartsFragment): string {
  return [pointer, code, line, column, message].join(" ");
}
