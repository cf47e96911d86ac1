import { createWriteStream, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { printable } from "./cli-printable.js";
import { OperatorError } from "./domain/operator-error.js";
import type { Refusal } from "./domain/refusal.js";

/** How many refused lines are told of on standard error; a report has all of them. */
const SHOWN = 100;

/** Tells of the lines that an import refuses: the first ones to whoever watches, all of them to a file. */
export class ImportReport {
  readonly #file: WriteStream | null;
  readonly #print: (line: string) => void;
  #count = 0;
  #failure: Error | null = null;

  /**
   * @param path of a file of JSON Lines; null for none
   * @param continued whether it goes on with the report of an import that was broken off
   */
  constructor(path: string | null, continued: boolean, print: (line: string) => void) {
    this.#file = path === null ? null : createWriteStream(path, { flags: continued ? "a" : "w" });
    this.#file?.on("error", (error) => {
      this.#failure ??= error;
    });
    this.#print = print;
  }

  note(file: string, line: number, { code, field, message }: Refusal): void {
    this.#count += 1;
    this.#file?.write(`${JSON.stringify({ file, line, code, field: field ?? null, message })}\n`);
    if (this.#count > SHOWN) return;
    const place = field === undefined ? "" : `${field}: `;
    this.#print(printable(`${file}:${line}: ${code}: ${place}${message}`));
  }

  /** @throws OperatorError when the file could not be written */
  async close(): Promise<void> {
    if (this.#count > SHOWN) {
      const all = this.#file ? "the report has all" : "--report FILE writes all of them to a file";
      this.#print(`… and ${this.#count - SHOWN} more; ${all}.`);
    }
    if (!this.#file) return;
    const end = finished(this.#file);
    this.#file.end();
    await end.catch(() => undefined);
    if (this.#failure) throw new OperatorError(`Cannot write the report: ${this.#failure.message}.`);
  }
}
