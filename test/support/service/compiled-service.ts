import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { builtPages } from "../pages/built-pages.js";
import { cachedDirectory, project } from "./build-cache.js";

/** Our packages that the service needs, and where the compiled service finds them. */
export const COMPILED_PACKAGES = {
  "packages/site-config": "node_modules/@user-groups/site-config",
  "clients/typescript": "node_modules/@user-groups/client",
} as const;

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
    // Copies of their own: the packages' `dist` may be rebuilt while tests run.
    for (const [folder, place] of Object.entries(COMPILED_PACKAGES)) {
      await compileTo(`${folder}/tsconfig.build.json`, join(directory, place, "dist"));
      await cp(join(project, folder, "package.json"), join(directory, place, "package.json"));
    }
    await writeFile(join(directory, "package.json"), '{ "type": "module" }\n');
    await cp(await builtPages(), join(directory, "pages"), { recursive: true });
    // Tests also run it as another account.
    await promisify(execFile)("chmod", ["-R", "a+rX", directory]);
  });
}

async function hashOfSources(): Promise<string> {
  const hash = createHash("sha256");
  const entries = await Promise.all(
    ["src", "migrations", ...Object.keys(COMPILED_PACKAGES).map((folder) => `${folder}/src`)].map((name) =>
      readdir(join(project, name), { recursive: true, withFileTypes: true }),
    ),
  );
  const files = entries
    .flat()
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const all = [...files, join(project, "tsconfig.json"), join(project, "tsconfig.build.json")];
  for (const file of all.sort()) hash.update(`${file}\n`).update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}
