import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { ASSET_FOLDER, PAGE_FILE, readIfExists, STAMP_FILE } from "./built-page.js";
import { VARIANTS } from "./page-assets.js";

/** Increment when the format of assets changes, to rebuild existing ones. */
const FORMAT = "1";
// The maximum quality takes ten times as long and saves only 5 %.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const COMPRESS = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
} as const;

export interface PageSource {
  readonly html: string;
  readonly assets: AssetSources;
}

/** The assets of a page. File names contain a content hash. */
export class AssetSources implements Iterable<readonly [file: string, content: string]> {
  readonly #files = new Map<string, string>();

  /** @returns the file name */
  add(name: string, extension: "css" | "js", content: string): string {
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
    const file = `${name}-${hash}.${extension}`;
    this.#files.set(file, content);
    return file;
  }

  [Symbol.iterator](): Iterator<readonly [file: string, content: string]> {
    return this.#files[Symbol.iterator]();
  }
}

/** Writes a page with its assets and their compressed variants, unless the directory is up to date. */
export async function buildPage(directory: string, { html, assets }: PageSource): Promise<void> {
  const files = [...assets];
  const names = files.map(([file]) => file);
  const stamp = createHash("sha256")
    .update([FORMAT, html, ...names].join("\n"))
    .digest("hex");
  if ((await readIfExists(join(directory, STAMP_FILE))) === stamp) return;
  await rm(directory, { recursive: true, force: true });
  const folder = join(directory, ASSET_FOLDER);
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(([file, content]) => writeFile(join(folder, file), content)));
  await compressAssets(directory);
  await writeFile(join(directory, PAGE_FILE), html);
  await writeFile(join(directory, STAMP_FILE), stamp);
}

/** Writes missing compressed variants of a page's assets. */
export async function compressAssets(directory: string): Promise<void> {
  await compressFiles(join(directory, ASSET_FOLDER));
}

/** Writes missing compressed variants of the files in a folder and the folders below it. */
export async function compressFiles(folder: string): Promise<void> {
  const present = new Set(await readdir(folder, { recursive: true }));
  const missing = [...present]
    .filter((file) => /\.(?:css|js|html)$/.test(file))
    .flatMap((file) => VARIANTS.map(({ coding, extension }) => ({ file, coding, extension })))
    .filter(({ file, extension }) => !present.has(file + extension));
  await Promise.all(
    missing.map(async ({ file, coding, extension }) => {
      const bytes = await readFile(join(folder, file));
      await writeFile(join(folder, file + extension), await COMPRESS[coding](bytes));
    }),
  );
}
