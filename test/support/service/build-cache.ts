import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const project = fileURLToPath(new URL("../../..", import.meta.url));
const cache = join(project, "node_modules", ".cache", "user-groups-test");
const keptForMs = 24 * 3_600_000;
/** Longer than a build takes: what holds the lock for longer was killed. */
const LOCKED_FOR_MS = 600_000;

/** Returns a hash of the files that git knows or would add. @param paths as `git ls-files` takes them */
export async function hashOfFiles(paths: readonly string[]): Promise<string> {
  const options = ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...paths];
  const { stdout } = await promisify(execFile)("git", options, { cwd: project });
  const hash = createHash("sha256");
  for (const path of stdout.trim().split("\n")) hash.update(await readFile(join(project, path)));
  return hash.digest("hex").slice(0, 16);
}

/**
 * Builds a directory once for all runs, next to node_modules.
 * @param name must change with everything the content depends on
 * @param build fills an empty directory
 * @returns the directory
 */
export async function cachedDirectory(
  name: string,
  build: (directory: string) => Promise<void>,
): Promise<string> {
  const directory = join(cache, name);
  const lock = `${directory}.lock`;
  await mkdir(cache, { recursive: true });
  // One worker at a time: npm pack and VitePress also write to their sources.
  while (!existsSync(directory) && !(await takesLock(lock))) await sleep(200);
  if (existsSync(directory)) return directory;
  try {
    const draft = await mkdtemp(join(cache, "draft-"));
    await build(draft);
    await rename(draft, directory);
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
  for (const old of await readdir(cache)) {
    const { mtimeMs } = await stat(join(cache, old)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > keptForMs) await rm(join(cache, old), { recursive: true, force: true });
  }
  return directory;
}

/** Locks by creating a directory. @returns whether it was created here */
async function takesLock(lock: string): Promise<boolean> {
  const held = await stat(lock).catch(() => undefined);
  if (held && Date.now() - held.mtimeMs > LOCKED_FOR_MS) await rm(lock, { recursive: true, force: true });
  return mkdir(lock).then(
    () => true,
    () => false,
  );
}
