import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const project = fileURLToPath(new URL("../../..", import.meta.url));
const cache = join(project, "node_modules", ".cache", "user-groups-test");
const keptForMs = 24 * 3_600_000;

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
  if (existsSync(directory)) return directory;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, "draft-"));
  await build(draft);
  // Another worker of the run may have been faster.
  await rename(draft, directory).catch(() => rm(draft, { recursive: true, force: true }));
  for (const old of await readdir(cache)) {
    const { mtimeMs } = await stat(join(cache, old)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > keptForMs) await rm(join(cache, old), { recursive: true, force: true });
  }
  return directory;
}
