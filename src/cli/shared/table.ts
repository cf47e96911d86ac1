import { printable } from "./printable.js";

/** Formats rows in columns; the first row is the header. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  // Cells may contain names chosen by other users.
  const cells = rows.map((row) => row.map(printable));
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
