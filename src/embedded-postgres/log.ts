/** Condenses a failed program's log to one line: its last FATAL with the detail, else its last line. */
export function explainFailure(lines: readonly string[], end: string): string {
  const fatal = lines.findLastIndex((line) => /\b(?:FATAL|PANIC|error): /.test(line));
  if (fatal === -1) return lines.findLast((line) => line.trim() !== "")?.trim() ?? end;
  const message = textOf(lines[fatal]);
  const detail = lines.slice(fatal + 1, fatal + 3).find((line) => line.includes("DETAIL: "));
  return detail === undefined ? message : `${message} (${textOf(detail)})`;
}

/** Returns whether the server exited because another one uses the data directory or is still shutting down. */
export function isDataDirInUse(lines: readonly string[]): boolean {
  return lines.some((line) =>
    /FATAL: .*(?:lock file "postmaster\.pid" already exists|shared memory block .* is still in use)/.test(
      line,
    ),
  );
}

function textOf(line = ""): string {
  return line.replace(/^.*?\b(?:FATAL|PANIC|DETAIL|error):\s+/, "").trim();
}
