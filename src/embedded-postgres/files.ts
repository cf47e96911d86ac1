import { randomBytes } from "node:crypto";
import { link, rm, writeFile } from "node:fs/promises";
import { errorCode } from "../domain/shared/system-error-code.js";

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
