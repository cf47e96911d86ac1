import type { SiteConfigOptions } from "@user-groups/site-config";
import { readSiteConfigFile } from "@user-groups/site-config/check";
import { type CheckedFile, formatChecks, printable } from "@user-groups/site-config/check-format";
import type { ProcessEnvironment } from "../../config/config.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { sitePath } from "../../domain/site-configs/site-address.js";
import { type ChangeOptions, SiteConfigService } from "../../services/site-configs/service.js";
import type { Output } from "../shared/output.js";
import { type AccountChoice, withAccount } from "../shared/storage.js";

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
