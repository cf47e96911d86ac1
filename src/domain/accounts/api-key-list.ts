import type { SortKey } from "../shared/pagination.js";
import type { ApiKey } from "./api-key.js";
import type { Scope } from "./caller.js";

/** Sort fields for lists of API keys; ties are broken by ID. */
export type ApiKeySortField = "createdAt" | "lastUsedAt" | "name";

/** The value type of each sort field. */
export const API_KEY_SORT_KINDS: Readonly<Record<ApiKeySortField, SortKey["kind"]>> = {
  createdAt: "time",
  lastUsedAt: "time",
  name: "text",
};

/** Sort value of keys that were never used. */
export const NEVER_USED = "0001-01-01T00:00:00.000Z";

/** Conditions on listed API keys; all must hold. */
export interface ApiKeyFilter {
  readonly scopes?: readonly Scope[];
  /** Neither revoked nor expired. */
  readonly isActive?: boolean;
  /** Substring of the name, case-insensitive. */
  readonly nameContains?: string;
}

/** Returns the value that an API key is sorted by. */
export function sortValueOf(key: ApiKey, field: ApiKeySortField): string {
  switch (field) {
    case "createdAt":
      return key.createdAt.toISOString();
    case "lastUsedAt":
      return key.lastUsedAt?.toISOString() ?? NEVER_USED;
    case "name":
      return key.name;
  }
}
