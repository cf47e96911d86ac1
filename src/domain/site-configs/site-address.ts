import type { Environment } from "../accounts/environment.js";

/** Where documents are served, each below the name of its site. */
export const SITE_CONFIG_PATH = "/site-config";

/** Whose public sites are meant where nothing is said. */
export const DEFAULT_ENVIRONMENT: Environment = "Customer";

/** The path and query by which everybody reads the document of a public site. */
export function sitePath(
  site: string,
  { accountName, environment }: { readonly accountName: string; readonly environment: Environment },
): string {
  const query = new URLSearchParams({
    account: accountName,
    ...(environment === DEFAULT_ENVIRONMENT ? {} : { environment }),
  });
  return `${SITE_CONFIG_PATH}/${encodeURIComponent(site)}?${query}`;
}
