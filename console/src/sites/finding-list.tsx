import type { FindingPartsFragment } from "../api/generated/operations.js";
import { Problem } from "../parts/problem.js";
import type { Findings } from "./use-findings.js";

interface FindingListProps {
  readonly findings: Findings;
  readonly onGoTo: (line: number, column: number) => void;
}

/** The findings in a site configuration, with links to their positions. */
export function FindingList({ findings: { report, failure, isChecking }, onGoTo }: FindingListProps) {
  return (
    <section className="findings" aria-labelledby="findings" aria-busy={isChecking}>
      <h2 id="findings">Findings</h2>
      <p className="fine" id="findings-summary" role="status">
        {report && !isChecking
          ? summaryOf(report.errors.length, report.warnings.length)
          : failure
            ? ""
            : "Checking…"}
      </p>
      <Problem failure={failure} />
      {report && (
        <ul>
          {report.errors.map((finding) => (
            <Finding key={keyOf(finding)} finding={finding} kind="error" onGoTo={onGoTo} />
          ))}
          {report.warnings.map((finding) => (
            <Finding key={keyOf(finding)} finding={finding} kind="warning" onGoTo={onGoTo} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface FindingProps {
  readonly finding: FindingPartsFragment;
  readonly kind: "error" | "warning";
  readonly onGoTo: (line: number, column: number) => void;
}

function Finding({ finding: { line, column, pointer, message, code }, kind, onGoTo }: FindingProps) {
  return (
    <li className={`finding ${kind}-finding`}>
      <span className="kind">{kind}</span> {message}{" "}
      <span className="fine below">
        {line !== null && column !== null && (
          <button type="button" className="link" onClick={() => onGoTo(line, column)}>
            Line {line}, column {column}
          </button>
        )}{" "}
        <code>{pointer || "/"}</code> <code>{code}</code>
      </span>
    </li>
  );
}

function summaryOf(errors: number, warnings: number): string {
  if (errors === 0 && warnings === 0) return "No errors or warnings.";
  return `${plural(errors, "error")}, ${plural(warnings, "warning")}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function keyOf({ pointer, code, line, column, message }: FindingPartsFragment): string {
  return [pointer, code, line, column, message].join(" ");
}
