import { closeSync, openSync, writeSync } from "node:fs";
import { OperatorError } from "../../domain/shared/operator-error.js";
import type { Refusal } from "../../domain/transfer/imported-record.js";
import { printable } from "../shared/output.js";

/** Maximum rejected lines shown on stderr; the report file contains all. */
const MAX_SHOWN = 100;

/** Reports rejected lines: the first ones on stderr, all of them in a file. */
export class ImportReport {
  readonly #file: number | null;
  readonly #print: (line: string) => void;
  #count = 0;

  /** @param path a JSON Lines file @throws OperatorError if the file cannot be opened */
  constructor(path: string | undefined, print: (line: string) => void) {
    this.#file = path === undefined ? null : orUnwritable(() => openSync(path, "w"));
    this.#print = print;
  }

  /** @throws OperatorError if the file cannot be written */
  add(file: string, line: number, { code, field, message }: Refusal): void {
    this.#count += 1;
    const report = this.#file;
    if (report !== null) {
      const text = `${JSON.stringify({ file, line, code, field: field ?? null, message })}\n`;
      orUnwritable(() => writeSync(report, text));
    }
    if (this.#count > MAX_SHOWN) return;
    const place = field === undefined ? "" : `${field}: `;
    this.#print(printable(`${file}:${line}: ${code}: ${place}${message}`));
  }

  close(): void {
    if (this.#count > MAX_SHOWN) {
      const all =
        this.#file === null ? "use --report <file> to save all of them" : "the report contains all of them";
      this.#print(`… and ${this.#count - MAX_SHOWN} more; ${all}.`);
    }
    if (this.#file !== null) closeSync(this.#file);
  }
}

function orUnwritable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`Cannot write the report: ${reason}.`, { cause: error });
  }
}
