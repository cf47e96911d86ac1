// @ts-check
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const USAGE = "Usage: npm run release -- major|minor|patch|X.Y.Z [--dry-run]";
const LEVEL = /^(?:major|minor|patch|\d+\.\d+\.\d+)$/;
const UNRELEASED = "## Unreleased\n";
const ANNOUNCEMENTS = "schema-changes/";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "dry-run": { type: "boolean", default: false } },
});
const [level = ""] = positionals;
if (!LEVEL.test(level)) fail(USAGE);
if (read("git", "status", "--porcelain")) fail("The working tree has changes. Commit or stash them first.");
if (!/^### /m.test(unreleasedChanges()))
  fail(`CHANGELOG.md has no changes below "${UNRELEASED.trim()}". Add them first.`);

run("npm", "run", "check");
try {
  const version = writeVersion(level);
  if (values["dry-run"]) {
    run("git", "diff", "--stat", "HEAD");
    pack("--dry-run");
  } else {
    run("git", "commit", "--quiet", "--all", "--message", `release: ${version}`);
    run("git", "tag", "--annotate", `v${version}`, "--message", `Version ${version}`);
    pack();
    process.stdout.write(`Version ${version} is committed and tagged. Next: git push --follow-tags\n`);
  }
} finally {
  // A dry run and a failed release leave nothing behind; after a commit there is nothing to restore.
  run("git", "restore", "--staged", "--worktree", ".");
}

/** Writes the new version to all files of the service and its packages. @param {string} level */
function writeVersion(level) {
  const previous = currentVersion();
  const everyPackage = ["--workspaces", "--include-workspace-root"];
  run("npm", "version", level, "--no-git-tag-version", "--workspaces-update=false", ...everyPackage);
  run("npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund");
  const version = currentVersion();
  const date = new Date().toISOString().slice(0, 10);
  replace("CHANGELOG.md", UNRELEASED, `${UNRELEASED}\n## ${version} - ${date}\n`);
  replace("clients/typescript/src/version.ts", `"${previous}"`, `"${version}"`);
  replace("deploy/kubernetes/base/kustomization.yaml", `newTag: ${previous}`, `newTag: ${version}`);
  // Otherwise the package would contain the output of deleted sources.
  rmSync("dist", { recursive: true, force: true });
  run("npm", "run", "schema:write");
  run("npm", "run", "docs:build");
  writeFileSync(`${ANNOUNCEMENTS}baseline.graphql`, readFileSync("schema.graphql"));
  const announced = readdirSync(ANNOUNCEMENTS).filter((name) => name.endsWith(".json"));
  if (announced.length > 0) run("git", "rm", "--quiet", ...announced.map((name) => ANNOUNCEMENTS + name));
  return version;
}

/** Packs the service and its packages. @param {string[]} options */
function pack(...options) {
  run("npm", "pack", "--workspaces", "--include-workspace-root", ...options);
}

/** @returns {string} */
function currentVersion() {
  return JSON.parse(readFileSync("package.json", "utf8")).version;
}

/** @returns {string} the text between "Unreleased" and the next version */
function unreleasedChanges() {
  const [, changes = ""] = readFileSync("CHANGELOG.md", "utf8").split(/^## Unreleased\n/m);
  return changes.split(/^## /m)[0] ?? "";
}

/** @param {string} path @param {string} text @param {string} replacement */
function replace(path, text, replacement) {
  const before = readFileSync(path, "utf8");
  if (!before.includes(text)) throw new Error(`${path} does not contain ${text}`);
  writeFileSync(path, before.replace(text, replacement));
}

/** @param {string} command @param {string[]} args */
function run(command, ...args) {
  execFileSync(command, args, { stdio: "inherit" });
}

/** @param {string} command @param {string[]} args */
function read(command, ...args) {
  return execFileSync(command, args, { encoding: "utf8" }).trim();
}

/** @param {string} message @returns {never} */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
