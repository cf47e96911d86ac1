/** Formats an aligned Markdown table. Columns with numbers are right-aligned. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = heads.map((head, column) => {
    const cells = rows.map((row) => row[column] ?? "");
    return {
      width: Math.max(...[head, ...cells].map(({ length }) => length)),
      isRight: column > 0 && cells.some((cell) => /\d/.test(cell)),
    };
  });
  const line = (cells: readonly string[]) =>
    `| ${columns.map(({ width, isRight }, column) => (isRight ? cells[column]?.padStart(width) : cells[column]?.padEnd(width))).join(" | ")} |`;
  const rule = columns.map(({ width, isRight }) => `${"-".repeat(width - 1)}${isRight ? ":" : "-"}`);
  return [line(heads), line(rule), ...rows.map(line)].join("\n");
}
