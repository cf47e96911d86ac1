import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errorCode, OperatorError } from "../../domain/shared/operator-error.js";
import type { ExportedFile } from "../../services/transfer/account-export.js";

/**
 * Writes files of JSON Lines to a new directory, which appears only when it is complete.
 * @returns the number of lines by file name
 * @throws OperatorError if the directory exists or cannot be written
 */
export async function writeDirectory(
  directory: string,
  files: readonly ExportedFile[],
): Promise<(readonly [file: string, lines: number])[]> {
  const draft = `${directory}.part`;
  let isOwn = false;
  try {
    // Fails if another export is running. rename() would replace an empty directory.
    await mkdir(draft, { mode: 0o700 });
    isOwn = true;
    const written: (readonly [string, number])[] = [];
    for (const { name, pages } of files) {
      const file = `${name}.jsonl`;
      let lines = 0;
      const text = async function* () {
        for await (const page of pages) {
          lines += page.length;
          yield `${page.join("\n")}\n`;
        }
      };
      await pipeline(
        Readable.from(text()),
        createWriteStream(join(draft, file), { flags: "wx", mode: 0o600 }),
      );
      written.push([file, lines]);
    }
    await rename(draft, directory);
    return written;
  } catch (error) {
    if (isOwn) await rm(draft, { recursive: true, force: true });
    if (errorCode(error) === undefined || !(error instanceof Error && "syscall" in error)) throw error;
    throw new OperatorError(`Cannot write ${JSON.stringify(directory)}: ${error.message}.`, { cause: error });
  }
}
