import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { type CheckedFile, type CheckFormat, formatChecks } from "./cli-site-config-format.js";
import { LineIndex } from "./domain/site-config/line-index.js";
import type { SiteConfigCode } from "./domain/site-config/site-config-codes.js";
import {
  type SiteConfigOptions,
  validateSiteConfigText,
  withoutByteOrderMark,
} from "./domain/site-config/validate-site-config.js";

/** The name of a file that stands for standard input. */
const STANDARD_INPUT = "-";

/**
 * Checks site configuration files and prints what it finds. It needs no settings and no database.
 * @returns the exit code: 1 when a file has errors or cannot be read
 */
export async function checkSiteConfigs(
  files: readonly string[],
  options: SiteConfigOptions & { readonly format: CheckFormat },
  { input, print }: { readonly input: NodeJS.ReadableStream; readonly print: (text: string) => void },
): Promise<number> {
  const checked: CheckedFile[] = [];
  for (const file of files) checked.push(await checkFile(file, options, input));
  print(formatChecks(checked, options.format));
  return checked.every(({ report }) => report.valid) ? 0 : 1;
}

async function checkFile(
  file: string,
  options: SiteConfigOptions,
  input: NodeJS.ReadableStream,
): Promise<CheckedFile> {
  const name = file === STANDARD_INPUT ? "<stdin>" : file;
  let bytes: Uint8Array;
  try {
    bytes = file === STANDARD_INPUT ? await buffer(input) : await readFile(file);
  } catch (error) {
    return failed(name, "unreadable_file", `The file cannot be read: ${reasonOf(error)}.`);
  }
  const text = decode(bytes);
  if (text === null) return failed(name, "invalid_utf8", "The file is not UTF-8 text; save it as UTF-8.");
  return {
    file: name,
    report: validateSiteConfigText(text, options),
    lines: new LineIndex(withoutByteOrderMark(text)),
  };
}

function failed(file: string, code: SiteConfigCode, message: string): CheckedFile {
  return {
    file,
    report: { valid: false, errors: [{ code, pointer: "", message }], warnings: [] },
    lines: new LineIndex(""),
  };
}

function decode(bytes: Uint8Array): string | null {
  try {
    // The validator tells of a byte order mark, so it must stay.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "it does not exist";
  if (code === "EISDIR") return "it is a directory";
  if (code === "EACCES") return "permission is denied";
  return error instanceof Error ? error.message : String(error);
}
