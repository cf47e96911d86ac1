import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildPages } from "../../../src/http/pages/pages-build.js";
import { cachedDirectory, project } from "../service/build-cache.js";

const MODULES = [
  ...[
    "api-docs-assets",
    "api-docs-page",
    "landing",
    "landing-page",
    "not-found",
    "page-build",
    "page-html",
    "site-header",
  ],
  ...["playground-assets", "playground-examples", "playground-page"],
];
const STYLES = ["tokens", "site-header"].map((name) => `console/src/styles/${name}.css`);
const SOURCES = ["package-lock.json", ...STYLES, ...MODULES.map((name) => `src/http/pages/${name}.ts`)];

/** Builds the playground and the API documentation as `npm run build` does, once per version of their sources. @returns the directory */
export async function builtPages(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of SOURCES) hash.update(await readFile(join(project, path)));
  return cachedDirectory(`pages-${hash.digest("hex").slice(0, 16)}`, (directory) => buildPages(directory));
}
