import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where a run works. */
export interface Workplace {
  /** For files, which PostgreSQL, as another user, may read and write as well; those in `database` are never kept. */
  readonly directory: string;
  /** Has something closed at the end of the run, before what was registered earlier. */
  onClose(close: () => Promise<unknown>): void;
}

/**
 * Works in a directory of its own and cleans up, also when Ctrl-C interrupts.
 * @throws what `work` throws, or Error for an interruption; then all but the database is kept
 */
export async function inWorkplace<Result>(work: (place: Workplace) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), "user-groups-bench-"));
  await chmod(directory, 0o777);
  const closing: (() => Promise<unknown>)[] = [];
  let kept = true;
  try {
    const interruption = new Promise<never>((_, reject) => {
      process.once("SIGINT", () => reject(new Error("Interrupted.")));
    });
    const result = await Promise.race([
      work({ directory, onClose: (close) => void closing.unshift(close) }),
      interruption,
    ]);
    kept = false;
    return result;
  } finally {
    for (const close of closing) await close();
    await rm(kept ? join(directory, "database") : directory, { recursive: true, force: true, maxRetries: 5 });
    if (kept) process.stderr.write(`Logs are saved in ${directory}.\n`);
  }
}
