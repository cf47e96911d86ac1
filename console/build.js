// @ts-check
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const STAMP = ".sources";
/** The operations of the console, for services that only allow persisted queries. */
const DOCUMENTS = "documents.json";

/**
 * Builds the console, unless it has been built from the same sources.
 * @param {string} outDir output directory
 */
async function buildConsole(outDir) {
  const hash = await hashOfSources();
  const stamp = join(outDir, STAMP);
  if ((await readFile(stamp, "utf8").catch(() => "")) === hash) return;
  // Override the environment: otherwise React is built in its large and slow development mode.
  process.env["NODE_ENV"] = "production";
  // Import lazily: most builds end before this line.
  const [{ build }, { generateOperations }] = await Promise.all([import("vite"), import("./generate.js")]);
  const texts = await generateOperations();
  await build({ root: here, configFile: join(here, "vite.config.ts"), logLevel: "warn", build: { outDir } });
  await writeFile(join(outDir, DOCUMENTS), JSON.stringify(Object.fromEntries(texts.map(withHash))));
  await writeFile(stamp, hash);
}

/** @param {string} text */
function withHash(text) {
  return [createHash("sha256").update(text).digest("hex"), text];
}

/** Hashes the sources, the GraphQL schema and the package versions. */
export async function hashOfSources() {
  const entries = await readdir(here, { recursive: true, withFileTypes: true });
  const sources = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("generated"))
    .map((entry) => relative(here, join(entry.parentPath, entry.name)));
  const hash = createHash("sha256");
  for (const file of [...sources.toSorted(), "../schema.graphql", "../package-lock.json"])
    hash.update(`${file}\n`).update(await readFile(join(here, file)));
  return hash.digest("hex");
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildConsole(process.argv[2] ?? join(here, "../dist/console"));
