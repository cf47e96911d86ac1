import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The file that a build writes last: without it the build was interrupted, and does not count. */
export const STAMP_FILE = ".sources";
export const ASSET_FOLDER = "assets";
export const PAGE_FILE = "index.html";

/** A page that `npm run build` has written to a directory. */
export interface BuiltPage {
  readonly html: string;
  readonly assetDirectory: string;
  /** The names of the assets, and of their compressed variants. */
  readonly assets: ReadonlySet<string>;
}

/** Reads a page. @returns undefined when it has not been built */
export async function readBuiltPage(directory: string): Promise<BuiltPage | undefined> {
  if ((await readIfExists(join(directory, STAMP_FILE))) === undefined) return undefined;
  const assetDirectory = join(directory, ASSET_FOLDER);
  const html = await readFile(join(directory, PAGE_FILE), "utf8");
  return { html, assetDirectory, assets: new Set(await readdir(assetDirectory)) };
}

/** Reads a text file. @returns undefined when there is none */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
