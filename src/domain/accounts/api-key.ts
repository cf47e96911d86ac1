import { hash } from "node:crypto";
import { type ListOrder, NAMED_ITEM_SORT, type Sortable } from "../shared/pagination.js";
import type { Scope } from "./caller.js";
import { ENVIRONMENTS, type Environment } from "./environment.js";
import { issueCredential, parseCredential } from "./secret-format.js";

/** An API key without its secret. */
export interface ApiKey {
  readonly id: number;
  readonly accountId: number;
  readonly environment: Environment;
  readonly scope: Scope;
  readonly name: string;
  /** The secret's first and last characters, to distinguish keys. */
  readonly hint: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** An API key with the name of its account. */
export interface ListedApiKey extends ApiKey {
  readonly accountName: string;
}

const PREFIXES: Readonly<Record<Environment, string>> = { Customer: "ugk_live_", Testing: "ugk_test_" };

/** Creates an API key (decision 13). The secret can be shown only once: only its hash and hint are stored. */
export function issueApiKey(accountId: number, environment: Environment) {
  const secret = issueCredential(PREFIXES[environment], accountId);
  return {
    secret,
    hash: hashApiKey(secret),
    hint: `${PREFIXES[environment]}…${secret.slice(-4)}`,
  };
}

/** Returns the account and environment encoded in an API key, or null if the text cannot be one of our keys. */
export function parseApiKey(
  secret: string,
): { readonly accountId: number; readonly environment: Environment } | null {
  for (const environment of ENVIRONMENTS) {
    const route = parseCredential(PREFIXES[environment], secret);
    if (route) return { ...route, environment };
  }
  return null;
}

/** Returns the hash that is stored for a key. Plain SHA-256 is sufficient: 256 random bits need no slow hash. */
export function hashApiKey(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

export const API_KEY_ORDER = {
  fields: {
    createdAt: NAMED_ITEM_SORT.createdAt,
    lastUsedAt: {
      property: "lastUsedAt",
      kind: "time",
      ifNull: "0001-01-01T00:00:00.000Z",
      description: "Order by time of the last use. Keys that were never used count as the oldest.",
    },
    name: NAMED_ITEM_SORT.name,
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
