import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { ProcessEnvironment } from "../../config/config.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import type { SiteConfigCode, SiteConfigReport } from "../../domain/site-configs/findings.js";
import { sitePath } from "../../domain/site-configs/site-address.js";
import {
  type SiteConfigOptions,
  validateSiteConfigText,
} from "../../domain/site-configs/validate-site-config.js";
import { type ChangeOptions, SiteConfigService } from "../../services/site-configs/service.js";
import { type Output, printable } from "../shared/output.js";
import { type AccountChoice, withAccount } from "../shared/storage.js";
import { type CheckedFile, type CheckFormat, formatChecks } from "./format.js";

/** File name of standard input. */
const STANDARD_INPUT = "-";

/**
 * Validates site configuration files and prints the findings. Needs neither settings nor a database.
 * @returns the exit code: 1 if a file has errors or cannot be read
 */
export async function checkSiteConfigs(
  files: readonly string[],
  options: SiteConfigOptions & { readonly format: CheckFormat },
  { input, print }: { readonly input: NodeJS.ReadableStream; readonly print: (text: string) => void },
): Promise<number> {
  const checked: CheckedFile[] = [];
  for (const name of files) {
    const { file, text, failure } = await readSiteConfigFile(name, input);
    checked.push({ file, report: failure ?? validateSiteConfigText(text, options) });
  }
  print(formatChecks(checked, options.format));
  return checked.every(({ report }) => report.valid) ? 0 : 1;
}

interface PutOptions extends AccountChoice, ChangeOptions, SiteConfigOptions {
  readonly site: string;
  readonly author: string;
  readonly isPublic: boolean | null;
}

/** Stores a file, or standard input for the name `-`, as a new revision. @throws OperatorError, also if validation finds errors */
export async function putSiteConfig(
  settings: ProcessEnvironment,
  name: string,
  options: PutOptions,
  { input, output }: { readonly input: NodeJS.ReadableStream; readonly output: Output },
): Promise<void> {
  const { site, author } = options;
  const { file, text, failure } = await readSiteConfigFile(name, input);
  if (failure) throw refusal({ file, report: failure });
  await withAccount(settings, options, { name: author, requestId: null }, async ({ database, writer }) => {
    const change = { ...options, source: { text } };
    const { siteConfig, report } = await new SiteConfigService(database).put(writer, site, change);
    if (!siteConfig) throw refusal({ file, report });
    if (report.warnings.length > 0) process.stderr.write(formatChecks([{ file, report }], "text"));
    const { revision, isPublic } = siteConfig;
    const publicPath = isPublic
      ? sitePath(site, { accountName: options.account, environment: options.environment })
      : null;
    const address = publicPath === null ? "" : `, public at ${publicPath}`;
    await output.print(
      { site, revision, public_path: publicPath, report },
      `stored revision ${revision} of ${printable(site)}${address}\n`,
    );
  });
}

function refusal(checked: CheckedFile): OperatorError {
  return new OperatorError(formatChecks([checked], "text").trimEnd(), { code: "invalid_site_config" });
}

interface SiteConfigFile {
  /** Display name. */
  readonly file: string;
  readonly text: string;
  /** The error if there is no text to validate; otherwise null. */
  readonly failure: SiteConfigReport | null;
}

/** Reads a site configuration file, or standard input for the name `-`. */
async function readSiteConfigFile(file: string, input: NodeJS.ReadableStream): Promise<SiteConfigFile> {
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
