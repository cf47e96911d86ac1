import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { hashOfSources } from "../../../console/build.js";
import { cachedDirectory, hashOfFiles, project } from "../service/build-cache.js";

/** Builds the console and the other pages as `npm run build` does, once per version of their sources. @returns the directory */
export async function builtPages(): Promise<string> {
  return cachedDirectory(`pages-${(await hashOfSources()).slice(0, 16)}`, async (directory) => {
    await promisify(execFile)(process.execPath, [join(project, "console", "build.js"), directory]);
  });
}

/** The sources of the site, for git. */
const SOURCES = [
  ...["*.md", "docs", "openapi.json"],
  ...["build.js", "pages/icon.svg", "src/parts/site.ts", "src/styles/tokens.css"].map(
    (file) => `console/${file}`,
  ),
];

/** Builds the documentation site as `npm run docs:build` does, once per version of its sources. @returns the directory */
export async function builtDocs(): Promise<string> {
  return cachedDirectory(`docs-${await hashOfFiles(SOURCES)}`, async (directory) => {
    const vitepress = join(project, "docs/node_modules/vitepress/bin/vitepress.js");
    await promisify(execFile)(process.execPath, [vitepress, "build", "docs", "--outDir", directory], {
      cwd: project,
    });
  });
}
