import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The directory and cleanup of a run. */
export interface Workplace {
  /** For files that PostgreSQL, which runs as another user, can also read and write; `database` is always deleted. */
  readonly directory: string;
  /** Registers a cleanup function; they run in reverse order. */
  onClose(close: () => Promise<unknown>): void;
}

/**
 * Runs a function with a temporary directory and cleans up, also on Ctrl-C.
 * @throws the function's error, or Error when interrupted; the directory is then kept except for the database
 */
export async function inWorkplace<Result>(work: (place: Workplace) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), "user-groups-bench-"));
  await chmod(directory, 0o777);
  const closing: (() => Promise<unknown>)[] = [];
  let isKept = true;
  try {
    const interruption = new Promise<never>((_, reject) => {
      process.once("SIGINT", () => reject(new Error("Interrupted.")));
    });
    const result = await Promise.race([
      work({ directory, onClose: (close) => void closing.unshift(close) }),
      interruption,
    ]);
    isKept = false;
    return result;
  } finally {
    for (const close of closing) await close();
    await rm(isKept ? join(directory, "database") : directory, {
      recursive: true,
      force: true,
      maxRetries: 5,
    });
    if (isKept) process.stderr.write(`Logs are kept in ${directory}.\n`);
  }
}
