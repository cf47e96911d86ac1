// @ts-check
// Installs the packages of a folder that has a lock file of its own, unless they are those of the lock file:
// node scripts/install-packages.js FOLDER
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2] ?? "";

/** @param {string} file @returns {number} milliseconds since 1970, 0 if there is no such file */
const changedAt = (file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changedAt("node_modules/.package-lock.json") <= changedAt("package-lock.json")) {
  process.stderr.write(`Installing the packages of ${folder}…\n`);
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    // `npm run` hands down the settings of its own folder.
    env: { ...process.env, npm_config_engine_strict: undefined },
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  process.exitCode = status ?? 1;
}
