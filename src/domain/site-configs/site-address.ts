import type { Environment } from "../accounts/environment.js";

/** Base path of public documents, followed by the site name. */
export const SITE_CONFIG_PATH = "/site-config";

/** Environment of public sites if the request names none. */
export const DEFAULT_ENVIRONMENT: Environment = "Customer";

/** Returns the public path and query of a site's document. */
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
