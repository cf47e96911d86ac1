import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { builtPages } from "../pages/built-pages.js";
import { cachedDirectory, project } from "./build-cache.js";

const PACKAGE = "packages/site-config";
/** Where the compiled service finds the package. */
export const COMPILED_PACKAGE = "node_modules/@user-groups/site-config";

let compiled: Promise<string> | undefined;

/** Compiles the service as `npm run build` does, into a directory next to node_modules. @returns the directory; sources in src/ */
export function compileService(): Promise<string> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<string> {
  return cachedDirectory(await hashOfSources(), async (directory) => {
    const tsc = join(project, "node_modules", "typescript", "bin", "tsc");
    // Types are checked elsewhere: an unfinished edit need not fail these tests.
    const unchecked = [
      "--noCheck",
      "--incremental",
      "false",
      "--tsBuildInfoFile",
      "null",
      "--sourceMap",
      "false",
    ];
    const compileTo = (config: string, outDir: string) =>
      promisify(execFile)(process.execPath, [tsc, "-p", config, ...unchecked, "--outDir", outDir], {
        cwd: project,
      });
    await compileTo("tsconfig.build.json", directory);
    // A copy of its own: the package's `dist` may be rebuilt while tests run.
    await compileTo(`${PACKAGE}/tsconfig.build.json`, join(directory, COMPILED_PACKAGE, "dist"));
    await cp(join(project, PACKAGE, "package.json"), join(directory, COMPILED_PACKAGE, "package.json"));
    await writeFile(join(directory, "package.json"), '{ "type": "module" }\n');
    await cp(await builtPages(), join(directory, "pages"), { recursive: true });
    // Tests also run it as another account.
    await promisify(execFile)("chmod", ["-R", "a+rX", directory]);
  });
}

async function hashOfSources(): Promise<string> {
  const hash = createHash("sha256");
  const entries = await Promise.all(
    ["src", "migrations", PACKAGE].map((name) =>
      readdir(join(project, name), { recursive: true, withFileTypes: true }),
    ),
  );
  const files = entries
    .flat()
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(project, PACKAGE, "dist")))
    .map((entry) => join(entry.parentPath, entry.name));
  const all = [...files, join(project, "tsconfig.json"), join(project, "tsconfig.build.json")];
  for (const file of all.sort()) hash.update(`${file}\n`).update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}
