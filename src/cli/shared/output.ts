import { pipeline } from "node:stream/promises";
import { printable } from "@user-groups/site-config/check-format";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { JsonSource } from "../../domain/shared/stored-json.js";

/** Where a command prints its result: as text, or with `--json` as one JSON document. */
export interface Output {
  readonly isJson: boolean;
  /**
   * @param value the result as JSON; a `JsonSource` is printed unchanged
   * @param text the result for humans, with a final newline
   */
  print(value: unknown, text: string): Promise<void>;
}

export function createOutput(isJson: boolean): Output {
  return {
    isJson,
    print: (value, text) => writeOutput(isJson ? `${jsonOf(value)}\n` : text),
  };
}

/** Writes to stdout and waits until everything is written. @throws OperatorError if writing fails */
export async function writeOutput(text: string): Promise<void> {
  try {
    await pipeline([text], process.stdout, { end: false });
  } catch (error) {
    // The reader closed the pipe, as `head` does.
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`Cannot write to standard output: ${reason}.`, { cause: error });
  }
}

function jsonOf(value: unknown): string {
  return value instanceof JsonSource ? value.text : JSON.stringify(value, null, 2);
}

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
