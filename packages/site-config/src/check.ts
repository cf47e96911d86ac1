import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { type CheckedFile, type CheckFormat, formatChecks } from "./check-format.js";
import type { SiteConfigCode, SiteConfigReport } from "./findings.js";
import { type SiteConfigOptions, validateSiteConfig } from "./validate.js";

/** File name of standard input. */
const STANDARD_INPUT = "-";

interface CheckOptions extends SiteConfigOptions {
  readonly format: CheckFormat;
}

interface CheckStreams {
  readonly input: NodeJS.ReadableStream;
  readonly print: (text: string) => void;
}

/**
 * Validates site configuration files and prints the findings.
 * @returns the exit code: 0 if all files are valid, 1 if one has errors, 2 if one cannot be read
 */
export async function checkFiles(
  names: readonly string[],
  { format, ...options }: CheckOptions,
  { input, print }: CheckStreams,
): Promise<0 | 1 | 2> {
  const checked: CheckedFile[] = [];
  for (const name of names) {
    const { file, text, failure } = await readSiteConfigFile(name, input);
    checked.push({ file, report: failure ?? validateSiteConfig(text, options) });
  }
  print(formatChecks(checked, format));
  const errors = checked.flatMap(({ report }) => report.errors);
  if (errors.length === 0) return 0;
  return errors.some(({ code }) => code === "unreadable_file") ? 2 : 1;
}

interface SiteConfigFile {
  /** Display name. */
  readonly file: string;
  readonly text: string;
  /** The error if there is no text to validate; otherwise null. */
  readonly failure: SiteConfigReport | null;
}

/** Reads a site configuration file, or standard input for the name `-`. */
export async function readSiteConfigFile(
  file: string,
  input: NodeJS.ReadableStream,
): Promise<SiteConfigFile> {
  const name = file === STANDARD_INPUT ? "<stdin>" : file;
  let bytes: Uint8Array;
  try {
    bytes = file === STANDARD_INPUT ? await buffer(input) : await readFile(file);
  } catch (error) {
    return failed(name, "unreadable_file", `The file cannot be read: ${reasonOf(error)}.`);
  }
  const text = decode(bytes);
  if (text === null) return failed(name, "invalid_utf8", "The file is not UTF-8 text; save it as UTF-8.");
  return { file: name, text, failure: null };
}

function failed(file: string, code: SiteConfigCode, message: string): SiteConfigFile {
  const failure = { valid: false, errors: [{ code, pointer: "", message }], warnings: [], notices: [] };
  return { file, text: "", failure };
}

function decode(bytes: Uint8Array): string | null {
  try {
    // The validator reports a byte order mark, so it must be preserved.
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
