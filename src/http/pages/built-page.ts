import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The last file of a build. If it is missing, the build was interrupted and is ignored. */
export const STAMP_FILE = ".sources";
export const ASSET_FOLDER = "assets";
export const PAGE_FILE = "index.html";

/** A page built by `npm run build`. */
export interface BuiltPage {
  readonly html: string;
  readonly assetDirectory: string;
  /** File names of the assets and their compressed variants. */
  readonly assets: ReadonlySet<string>;
}

/** Reads a page. @returns undefined if it has not been built */
export async function readBuiltPage(directory: string): Promise<BuiltPage | undefined> {
  if ((await readIfExists(join(directory, STAMP_FILE))) === undefined) return undefined;
  const assetDirectory = join(directory, ASSET_FOLDER);
  const html = await readFile(join(directory, PAGE_FILE), "utf8");
  return { html, assetDirectory, assets: new Set(await readdir(assetDirectory)) };
}

/** Reads a text file. @returns undefined if it does not exist */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
