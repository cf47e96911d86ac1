import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { hashOfSources } from "../../../console/build.js";
import { cachedDirectory, project } from "../service/build-cache.js";

/** Builds the console and the other pages as `npm run build` does, once per version of their sources. @returns the directory */
export async function builtPages(): Promise<string> {
  return cachedDirectory(`pages-${(await hashOfSources()).slice(0, 16)}`, async (directory) => {
    await promisify(execFile)(process.execPath, [join(project, "console", "build.js"), directory]);
  });
}
