import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { z } from "zod";
import { PageAssets, SCRIPT, STYLE } from "./page-assets.js";

const TYPES: Readonly<Record<string, string>> = {
  ".css": STYLE,
  ".js": SCRIPT,
};

/** What a build writes last. */
const STAMP = ".sources";

const documents = z.record(z.string(), z.string());

/** What `npm run build` has made of the folder `console`. */
export interface ConsoleFiles {
  readonly page: string;
  readonly assets: PageAssets;
}

/** Reads the console. @returns undefined when it has not been built */
export async function readConsole(directory: string): Promise<ConsoleFiles | undefined> {
  if ((await readFile(join(directory, STAMP)).catch(ignoreAbsence)) === undefined) return undefined;
  const folder = join(directory, "assets");
  const names = await readdir(folder);
  const page = await readFile(join(directory, "index.html"), "utf8");
  const assets = new PageAssets();
  const put = async (name: string) => {
    const type = TYPES[extname(name)] ?? "application/octet-stream";
    await assets.put(name, type, await readFile(join(folder, name)));
  };
  await Promise.all(names.map(put));
  return { page, assets };
}

/** Reads the documents that the console sends, by their ids; none when it has not been built. */
export async function readConsoleDocuments(directory: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(directory, "documents.json"), "utf8").catch(ignoreAbsence);
  return new Map(Object.entries(documents.parse(JSON.parse(text ?? "{}"))));
}

function ignoreAbsence(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
