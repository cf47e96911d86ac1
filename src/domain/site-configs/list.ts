import type { SortKey } from "../shared/pagination.js";
import type { TimeRange } from "../shared/time-range.js";
import type { SiteConfig } from "./site-config.js";

/** Sort fields for lists of site configurations; ties are broken by ID. */
export type SiteConfigSortField = "site" | "updatedAt";

/** The value type of each sort field. */
export const SITE_CONFIG_SORT_KINDS: Readonly<Record<SiteConfigSortField, SortKey["kind"]>> = {
  site: "text",
  updatedAt: "time",
};

/** Conditions on listed site configurations; all must hold. */
export interface SiteConfigFilter {
  /** Prefix of the site's name, case-sensitive. */
  readonly siteStartsWith?: string;
  readonly updatedAt?: TimeRange;
}

/** Returns the value that a site configuration is sorted by. */
export function sortValueOf(siteConfig: SiteConfig, field: SiteConfigSortField): string {
  return field === "site" ? siteConfig.site : siteConfig.updatedAt.toISOString();
}
