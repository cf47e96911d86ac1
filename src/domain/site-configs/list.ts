import type { ListOrder, Sortable } from "../shared/pagination.js";
import type { TimeRange } from "../shared/time-range.js";
import type { SiteConfig } from "./site-config.js";

export const SITE_CONFIG_ORDER = {
  fields: {
    site: { property: "site", kind: "text", description: "Order by site name, compared by code point." },
    updatedAt: {
      property: "updatedAt",
      kind: "time",
      description: "Order by the time when the current revision was stored.",
    },
  },
  default: { field: "site", direction: "ascending" },
} as const satisfies ListOrder<Sortable<SiteConfig>>;

export type SiteConfigSortField = keyof typeof SITE_CONFIG_ORDER.fields;

/** Conditions on listed site configurations; all must hold. */
export interface SiteConfigFilter {
  /** Prefix of the site's name, case-sensitive. */
  readonly siteStartsWith?: string;
  readonly updatedAt?: TimeRange;
}
