import type { WriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { OperatorError } from "../../domain/shared/operator-error.js";
import type { Refusal } from "../../domain/transfer/refusal.js";
import { printable } from "../shared/printable.js";

/** How many refused lines are told of on standard error; a report has all of them. */
const SHOWN = 100;

/** Tells of the lines that an import refuses: the first ones to whoever watches, all of them to a file. */
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
   * @param path of a file of JSON Lines; null for none
   * @param continued whether it goes on with the report of an import that was broken off
   * @throws OperatorError when the file cannot be opened
   */
  static async open(
    path: string | null,
    continued: boolean,
    print: (line: string) => void,
  ): Promise<ImportReport> {
    if (path === null) return new ImportReport(null, print);
    try {
      const file = await open(path, continued ? "a" : "w");
      return new ImportReport(file.createWriteStream(), print);
    } catch (error) {
      throw unwritable(error);
    }
  }

  note(file: string, line: number, { code, field, message }: Refusal): void {
    this.#count += 1;
    this.#file?.write(`${JSON.stringify({ file, line, code, field: field ?? null, message })}\n`);
    if (this.#count > SHOWN) return;
    const place = field === undefined ? "" : `${field}: `;
    this.#print(printable(`${file}:${line}: ${code}: ${place}${message}`));
  }

  /** @returns why the file could not be written; null when it was */
  async close(): Promise<OperatorError | null> {
    if (this.#count > SHOWN) {
      const all = this.#file ? "the report has all" : "--report FILE writes all of them to a file";
      this.#print(`… and ${this.#count - SHOWN} more; ${all}.`);
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
