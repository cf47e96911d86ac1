import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { builtPages } from "../pages/built-pages.js";

const project = fileURLToPath(new URL("../../..", import.meta.url));
const cache = join(project, "node_modules", ".cache", "user-groups-test");
const keptForMs = 24 * 3_600_000;

let compiled: Promise<string> | undefined;

/** Compiles the service as `npm run build` does, but beside node_modules. @returns the directory; sources in src/ */
export function compileService(): Promise<string> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<string> {
  const name = await hashOfSources();
  const directory = join(cache, name);
  await mkdir(cache, { recursive: true });
  if ((await readdir(cache)).includes(name)) return directory;
  const draft = await mkdtemp(join(cache, "draft-"));
  const tsc = join(project, "node_modules", "typescript", "bin", "tsc");
  // The types are checked elsewhere: somebody's half-done edit need not fail these tests.
  const options = [
    "--noCheck",
    "--incremental",
    "false",
    "--tsBuildInfoFile",
    "null",
    "--sourceMap",
    "false",
  ];
  await promisify(execFile)(
    process.execPath,
    [tsc, "-p", "tsconfig.build.json", ...options, "--outDir", draft],
    {
      cwd: project,
    },
  );
  await writeFile(join(draft, "package.json"), '{ "type": "module" }\n');
  await cp(await builtPages(), join(draft, "pages"), { recursive: true });
  // Another account than ours runs it, too.
  await promisify(execFile)("chmod", ["-R", "a+rX", draft]);
  // Another worker of the run may have been faster.
  await rename(draft, directory).catch(() => rm(draft, { recursive: true, force: true }));
  await removeOldBuilds();
  return directory;
}

async function hashOfSources(): Promise<string> {
  const hash = createHash("sha256");
  const entries = await Promise.all(
    ["src", "migrations"].map((name) =>
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

async function removeOldBuilds(): Promise<void> {
  for (const name of await readdir(cache)) {
    const { mtimeMs } = await stat(join(cache, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > keptForMs) await rm(join(cache, name), { recursive: true, force: true });
  }
}
