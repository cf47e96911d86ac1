import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { hashOfSources } from "../../../console/build.js";
import { compressAssets } from "../../../src/http/pages/page-build.js";
import { cachedDirectory, project } from "../service/build-cache.js";

/** Builds the console as `npm run build` does, once per version of its sources. @returns the directory */
export async function builtConsole(): Promise<string> {
  return cachedDirectory(`console-compressed-${(await hashOfSources()).slice(0, 16)}`, async (directory) => {
    await promisify(execFile)(process.execPath, [join(project, "console", "build.js"), directory]);
    await compressAssets(directory);
  });
}
