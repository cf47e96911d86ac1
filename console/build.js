// @ts-check
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const STAMP = ".sources";
/** The operations of the console, for services that only allow persisted queries. */
const DOCUMENTS = "documents.json";
// The maximum quality takes ten times as long and saves only 5 %.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/**
 * Builds the console and the other pages, unless they have been built from the same sources.
 * @param {string} outDir output directory
 */
async function buildPages(outDir) {
  const hash = await hashOfSources();
  const stamp = join(outDir, STAMP);
  if ((await readFile(stamp, "utf8").catch(() => "")) === hash) return;
  // Override the environment: otherwise React is built in its large and slow development mode.
  process.env["NODE_ENV"] = "production";
  // Import lazily: most builds end before this line.
  const [{ build }, { generateOperations, writeGraphiql }] = await Promise.all([
    import("vite"),
    import("./generate.js"),
  ]);
  const texts = await generateOperations();
  await writeGraphiql();
  await build({ configFile: join(here, "vite.config.ts"), logLevel: "warn", build: { outDir } });
  await writeFile(join(outDir, DOCUMENTS), JSON.stringify(Object.fromEntries(texts.map(withHash))));
  await compressFiles(join(outDir, "assets"));
  await writeFile(stamp, hash);
}

/**
 * Writes compressed variants of the style sheets, scripts and pages in a folder and those below it.
 * @param {string} folder
 */
export async function compressFiles(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((file) =>
    /\.(?:css|js|html)$/.test(file),
  );
  const compress = async (/** @type {string} */ path) => {
    const bytes = await readFile(path);
    await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, BROTLI));
    await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  };
  await Promise.all(files.map((file) => compress(join(folder, file))));
}

/** @param {string} text */
function withHash(text) {
  return [createHash("sha256").update(text).digest("hex"), text];
}

/** Hashes the sources, also those of our packages, the presets of dashboard tools, the GraphQL schema and the package versions. */
export async function hashOfSources() {
  const folders = ["", "../packages/site-config/src", "../docs/integrations"].map((folder) =>
    readdir(join(here, folder), { recursive: true, withFileTypes: true }),
  );
  const entries = (await Promise.all(folders)).flat();
  const sources = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("generated"))
    .map((entry) => relative(here, join(entry.parentPath, entry.name)));
  const hash = createHash("sha256");
  for (const file of [...sources.toSorted(), "../schema.graphql", "../package-lock.json"])
    hash.update(`${file}\n`).update(await readFile(join(here, file)));
  return hash.digest("hex");
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildPages(process.argv[2] ?? join(here, "../dist/pages"));
