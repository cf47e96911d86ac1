import type { ListOrder, Sortable } from "../shared/pagination.js";
import type { ApiKey } from "./api-key.js";
import type { Scope } from "./caller.js";

export const API_KEY_ORDER = {
  fields: {
    createdAt: { property: "createdAt", kind: "time", description: "Order by time of creation." },
    lastUsedAt: {
      property: "lastUsedAt",
      kind: "time",
      ifNull: "0001-01-01T00:00:00.000Z",
      description: "Order by time of the last use. Keys that were never used count as the oldest.",
    },
    name: { property: "name", kind: "text", description: "Order by name, compared by code point." },
  },
  default: { field: "createdAt", direction: "ascending" },
} as const satisfies ListOrder<Sortable<ApiKey>>;

export type ApiKeySortField = keyof typeof API_KEY_ORDER.fields;

/** Conditions on listed API keys; all must hold. */
export interface ApiKeyFilter {
  readonly scopes?: readonly Scope[];
  /** Neither revoked nor expired. */
  readonly isActive?: boolean;
  /** Substring of the name, case-insensitive. */
  readonly nameContains?: string;
}
