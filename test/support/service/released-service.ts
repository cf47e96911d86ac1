import { execFile, execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { builtPages } from "../pages/built-pages.js";
import { cachedDirectory, project } from "./build-cache.js";

/** The commit of a release whose schema is that of 1764860000000-embed-sessions, as version 0.2.0 will follow it. */
const COMMIT = "bf09d32";
const run = promisify(execFile);

/** Whether the release's commit is in the history; a shallow clone lacks it. */
export const hasPreviousRelease = isInHistory();

export const NO_PREVIOUS_RELEASE = `the history lacks the commit ${COMMIT} of the previous release`;

function isInHistory(): boolean {
  try {
    execFileSync("git", ["cat-file", "-e", `${COMMIT}^{commit}`], { cwd: project, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Compiles the previous release with today's packages, once for all runs. @returns its directory, as `compileService` does */
export async function compilePreviousRelease(): Promise<string> {
  return cachedDirectory(`release-${COMMIT}`, async (directory) => {
    const sources = await mkdtemp(join(tmpdir(), "ug-release-"));
    try {
      const archive = join(sources, "release.tar");
      await run(
        "git",
        [
          "archive",
          "--output",
          archive,
          COMMIT,
          "package.json",
          "src",
          "migrations",
          "tsconfig.json",
          "tsconfig.build.json",
        ],
        {
          cwd: project,
        },
      );
      await run("tar", ["-xf", archive, "-C", sources]);
      await symlink(join(project, "node_modules"), join(sources, "node_modules"));
      const tsc = join(project, "node_modules", "typescript", "bin", "tsc");
      const options = [
        "--noCheck",
        "--incremental",
        "false",
        "--tsBuildInfoFile",
        "null",
        "--sourceMap",
        "false",
      ];
      await run(process.execPath, [tsc, "-p", "tsconfig.build.json", ...options, "--outDir", directory], {
        cwd: sources,
      });
    } finally {
      await rm(sources, { recursive: true });
    }
    await writeFile(join(directory, "package.json"), '{ "type": "module" }\n');
    await mkdir(join(directory, "pages"), { recursive: true });
    await cp(await builtPages(), join(directory, "pages"), { recursive: true });
  });
}
