import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { hashOfSources } from "../../../console/build.js";
import { compressAssets } from "../../../src/http/pages/page-build.js";

const project = fileURLToPath(new URL("../../..", import.meta.url));
// Where the compiled services are, which are removed after a day.
const cache = join(project, "node_modules", ".cache", "user-groups-test");

/** Builds the console as `npm run build` does, once for its sources. @returns the directory */
export async function builtConsole(): Promise<string> {
  const directory = join(cache, `console-compressed-${(await hashOfSources()).slice(0, 16)}`);
  if (await exists(directory)) return directory;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, "draft-"));
  await promisify(execFile)(process.execPath, [join(project, "console", "build.js"), draft]);
  await compressAssets(draft);
  // Another worker of the run may have been faster.
  await rename(draft, directory).catch(() => rm(draft, { recursive: true, force: true }));
  return directory;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
