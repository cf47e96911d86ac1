/** Formats an aligned Markdown table. The first column is left-aligned, the others right-aligned. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column] ?? "")].map(({ length }) => length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, column) => `${"-".repeat(width - 1)}${column === 0 ? "-" : ":"}`);
  return [line(heads), line(rule), ...rows.map(line)].join("\n");
}
