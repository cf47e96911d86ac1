// @ts-check
// Writes what a release publishes to a folder: the packed packages, their SBOM (CycloneDX) and the release notes.
// node scripts/release-files.js TAG FOLDER
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [tag = "", folder = ""] = process.argv.slice(2);
if (folder === "") fail("Usage: node scripts/release-files.js TAG FOLDER");
const service = readPackage(".");
for (const { name, version } of [service, ...service.workspaces.map(readPackage)]) {
  if (tag !== `v${version}`) fail(`The tag ${tag} is not the version of ${name}, which is ${version}.`);
}
const notes = notesOf(tag.slice(1));

const target = resolve(folder);
mkdirSync(target, { recursive: true });
writeFileSync(join(target, "notes.md"), notes);
npm("pack", "--workspaces", "--include-workspace-root", "--pack-destination", target);
writeFileSync(join(target, "sbom.cdx.json"), sbom());

/** @param {string} folder */
function readPackage(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** @param {string} version @returns {string} its section of the changelog */
function notesOf(version) {
  const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${version} - `));
  if (section === undefined) fail(`CHANGELOG.md has no section "## ${version} - DATE".`);
  return section.slice(section.indexOf("\n") + 1).trim();
}

/**
 * Lists the packages of production. `npm sbom --omit=dev` would leave out each that a package of development needs, too: here the lock file has none.
 * @returns {string} CycloneDX
 */
function sbom() {
  const { devDependencies: _, ...manifest } = service;
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const entries = Object.entries(lock.packages).filter(([, { dev }]) => !dev);
  const packages = Object.fromEntries(
    entries.map(([path, { devDependencies: _, ...entry }]) => [path, entry]),
  );
  const directory = mkdtempSync(join(tmpdir(), "sbom-"));
  try {
    writeFileSync(join(directory, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(directory, "package-lock.json"), JSON.stringify({ ...lock, packages }));
    return npm("--prefix", directory, "sbom", "--sbom-format=cyclonedx", "--package-lock-only");
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** @param {string[]} args @returns {string} its standard output */
function npm(...args) {
  return execFileSync("npm", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 2 ** 20,
  });
}

/** @param {string} message @returns {never} */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
