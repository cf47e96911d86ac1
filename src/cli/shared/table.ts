import { printable } from "./printable.js";

/** Lays rows out in columns; the first row is the head. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  // Cells may hold names that somebody else has chosen.
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
