import { execFile } from "node:child_process";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { OperatorError } from "../domain/shared/operator-error.js";
import type { EmbeddedAccount } from "./account.js";

// The kernel's limit for a Unix socket's path is 103 bytes on macOS, 107 on Linux.
const maxSocketPath = 103;
const socketName = "user-groups-XXXXXX/.s.PGSQL.5432";

/**
 * Creates the directory (mode 700, owned by the account) for the server's socket and, if needed, a copy of its binaries.
 * @throws OperatorError when the account cannot access any temporary directory
 */
export async function createWorkspace(account: EmbeddedAccount | undefined): Promise<string> {
  const failures: string[] = [];
  for (const parent of new Set([tmpdir(), "/tmp", "/var/tmp"])) {
    if (Buffer.byteLength(join(parent, socketName)) > maxSocketPath) {
      failures.push(`the path ${parent} is too long`);
      continue;
    }
    try {
      return await createIn(parent, account);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new OperatorError(
    `No temporary directory is suitable for the embedded PostgreSQL server (${failures.join("; ")}). Set TMPDIR.`,
  );
}

export async function removeWorkspace(workspace: string): Promise<void> {
  await rm(workspace, { recursive: true, force: true, maxRetries: 3 });
}

async function createIn(parent: string, account: EmbeddedAccount | undefined): Promise<string> {
  const workspace = await mkdtemp(join(parent, "user-groups-"));
  if (account === undefined) return workspace;
  try {
    await chown(workspace, account.uid, account.gid);
    // The account may lack access to root's TMPDIR, e.g. libpam-tmpdir's /tmp/user/0.
    await promisify(execFile)("/bin/sh", ["-c", 'test -x "$0"', workspace], { ...account, cwd: "/" });
    return workspace;
  } catch (error) {
    await removeWorkspace(workspace);
    throw new OperatorError(`user ID ${account.uid} cannot access ${parent}`, { cause: error });
  }
}
