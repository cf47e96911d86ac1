import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPages } from "../../../src/http/pages/pages-build.js";

const project = fileURLToPath(new URL("../../..", import.meta.url));
// Where the compiled services are, which are removed after a day.
const cache = join(project, "node_modules", ".cache", "user-groups-test");
const SOURCES = [
  "package-lock.json",
  ...["api-docs-assets", "api-docs-page", "page-build", "playground-assets", "playground-examples"].map(
    toPath,
  ),
  ...["playground-page"].map(toPath),
];

/** Builds the playground and the page of the REST API as `npm run build` does, once for their sources. @returns the directory */
export async function builtPages(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of SOURCES) hash.update(await readFile(join(project, path)));
  const directory = join(cache, `pages-${hash.digest("hex").slice(0, 16)}`);
  if (await exists(directory)) return directory;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, "draft-"));
  await buildPages(draft);
  // Another worker of the run may have been faster.
  await rename(draft, directory).catch(() => rm(draft, { recursive: true, force: true }));
  return directory;
}

function toPath(module: string): string {
  return `src/http/pages/${module}.ts`;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
