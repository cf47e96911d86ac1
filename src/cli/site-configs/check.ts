import {
  type SiteConfigOptions,
  validateSiteConfigText,
} from "../../domain/site-configs/validate-site-config.js";
import { readSiteConfigFile } from "./file.js";
import { type CheckedFile, type CheckFormat, formatChecks } from "./format.js";

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
    checked.push({ file, text, report: failure ?? validateSiteConfigText(text, options) });
  }
  print(formatChecks(checked, options.format));
  return checked.every(({ report }) => report.valid) ? 0 : 1;
}
