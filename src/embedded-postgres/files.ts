import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { errorCode } from "../domain/shared/operator-error.js";

/** Awaits a file operation; undefined when the file does not exist. */
export async function ifPresent<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Creates a file (mode 600) with its whole content at once. @returns false when it exists already */
export async function createFile(path: string, content: string): Promise<boolean> {
  try {
    // A link, unlike a rename, does not replace a file that another process has created in the meantime.
    await writeDraft(path, content, (draft) => link(draft, path));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Writes a new file next to `path`, for `publish` to move there. */
export async function writeDraft(
  path: string,
  content: string,
  publish: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, content, { mode: 0o600, flag: "wx", flush: true });
    await publish(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Takes a lock for this process, also from a process that has ended without releasing it. Of two processes that find such a lock at
 * the same moment both may take it: PostgreSQL's own lock then stops one of them.
 * @returns the ID of the running process that holds it; undefined when this process now holds it
 */
export async function takeLock(path: string): Promise<number | undefined> {
  for (;;) {
    const holder = await ifPresent(readFile(path, "utf8"));
    if (holder !== undefined) {
      const pid = Number.parseInt(holder, 10);
      if (isAlive(pid) && (await identify(pid)) === holder) return pid;
      await rm(path, { force: true });
    }
    if (await createFile(path, await identify(process.pid))) return undefined;
  }
}

/** A process ID and, on Linux, the start time of the process: IDs are reused, in containers at every start. */
async function identify(pid: number): Promise<string> {
  const status = await ifPresent(readFile(`/proc/${pid}/stat`, "utf8"));
  // The second field, in parentheses, is the only one that may contain spaces.
  return `${pid} ${status?.slice(status.lastIndexOf(")")).split(" ")[20] ?? ""}\n`;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}
