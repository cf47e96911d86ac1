import type { WriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { OperatorError } from "../../domain/shared/operator-error.js";
import type { Refusal } from "../../domain/transfer/refusal.js";
import { printable } from "../shared/printable.js";

/** Maximum rejected lines shown on stderr; the report file contains all. */
const MAX_SHOWN = 100;

/** Reports rejected lines: the first ones on stderr, all of them in a file. */
export class ImportReport {
  readonly #file: WriteStream | null;
  readonly #print: (line: string) => void;
  #count = 0;
  #failure: Error | null = null;

  private constructor(file: WriteStream | null, print: (line: string) => void) {
    this.#file = file;
    this.#file?.on("error", (error) => {
      this.#failure ??= error;
    });
    this.#print = print;
  }

  /**
   * @param path a JSON Lines file; null for none
   * @param isResumed append to the report of an interrupted import
   * @throws OperatorError if the file cannot be opened
   */
  static async open(
    path: string | null,
    isResumed: boolean,
    print: (line: string) => void,
  ): Promise<ImportReport> {
    if (path === null) return new ImportReport(null, print);
    try {
      const file = await open(path, isResumed ? "a" : "w");
      return new ImportReport(file.createWriteStream(), print);
    } catch (error) {
      throw unwritable(error);
    }
  }

  add(file: string, line: number, { code, field, message }: Refusal): void {
    this.#count += 1;
    this.#file?.write(`${JSON.stringify({ file, line, code, field: field ?? null, message })}\n`);
    if (this.#count > MAX_SHOWN) return;
    const place = field === undefined ? "" : `${field}: `;
    this.#print(printable(`${file}:${line}: ${code}: ${place}${message}`));
  }

  /** @returns the error if the file could not be written; otherwise null */
  async close(): Promise<OperatorError | null> {
    if (this.#count > MAX_SHOWN) {
      const all = this.#file ? "the report contains all of them" : "use --report <file> to save all of them";
      this.#print(`… and ${this.#count - MAX_SHOWN} more; ${all}.`);
    }
    if (!this.#file) return null;
    const end = finished(this.#file);
    this.#file.end();
    await end.catch(() => undefined);
    return this.#failure && unwritable(this.#failure);
  }
}

function unwritable(error: unknown): OperatorError {
  const reason = error instanceof Error ? error.message : String(error);
  return new OperatorError(`Cannot write the report: ${reason}.`, { cause: error });
}
