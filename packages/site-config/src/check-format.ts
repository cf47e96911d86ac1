import type { SiteConfigFinding, SiteConfigReport, SiteConfigSeverity } from "./findings.js";

export const CHECK_FORMATS = ["text", "json", "github"] as const;
export type CheckFormat = (typeof CHECK_FORMATS)[number];

export interface CheckedFile {
  readonly file: string;
  readonly report: SiteConfigReport;
}

/** Formats findings like compiler messages, as one JSON document, or as GitHub workflow commands. */
export function formatChecks(checked: readonly CheckedFile[], format: CheckFormat): string {
  switch (format) {
    case "text":
      return lines([...checked.flatMap(compilerMessages), summary(checked)]);
    case "github":
      return lines([...checked.flatMap(workflowCommands), summary(checked)]);
    case "json":
      return lines([
        JSON.stringify({ files: checked.map(({ file, report }) => ({ file, ...report })) }, null, 2),
      ]);
  }
}

interface PlacedFinding {
  readonly severity: SiteConfigSeverity;
  readonly finding: SiteConfigFinding;
}

/** Returns all findings together, in file order. */
function findingsOf({ report: { errors, warnings, notices } }: CheckedFile): PlacedFinding[] {
  return [
    ...errors.map((finding) => ({ severity: "error" as const, finding })),
    ...warnings.map((finding) => ({ severity: "warning" as const, finding })),
    ...notices.map((finding) => ({ severity: "notice" as const, finding })),
  ].toSorted(
    ({ finding: one }, { finding: other }) =>
      (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
  );
}

function compilerMessages(checked: CheckedFile): string[] {
  return findingsOf(checked).map(({ severity, finding }) => {
    const { code, message, line, column } = finding;
    const place = [checked.file, line, column].filter((part) => part !== undefined).join(":");
    return printable(`${place}: ${severity} ${code}: ${message}`);
  });
}

/** https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function workflowCommands(checked: CheckedFile): string[] {
  return findingsOf(checked).map(({ severity, finding }) => {
    const { code, message, line, column } = finding;
    const place = line === undefined || column === undefined ? "" : `,line=${line},col=${column}`;
    return `::${severity} file=${escapeProperty(checked.file)}${place}::${escapeData(`${code}: ${message}`)}`;
  });
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function summary(checked: readonly CheckedFile[]): string {
  const count = (list: "errors" | "warnings" | "notices") =>
    checked.reduce((total, { report }) => total + report[list].length, 0);
  const counts = [
    amount(count("errors"), "error"),
    amount(count("warnings"), "warning"),
    amount(count("notices"), "notice"),
  ];
  return `${amount(checked.length, "file")} checked: ${counts.join(", ")}.`;
}

function amount(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

/** Replaces control characters, bidirectional formatting and unpaired surrogates, which could manipulate the terminal. */
export function printable(text: string): string {
  return text.replace(/(?!\t)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}
