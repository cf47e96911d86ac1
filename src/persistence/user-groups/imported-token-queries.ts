import type { Tenant } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { HEX_PREFIX, readBytes } from "../shared/value-parsers.js";

// Raw SQL: many rows in one statement, and authentication.

const FIND: Statement = {
  name: "brought_token_places",
  rows: "text",
  // A generic plan made while the table is empty would be wrong after an import.
  plan: "forValues",
  access: "read",
  text: "SELECT account_id, environment, lookup FROM brought_token WHERE lookup = ANY ($1::bytea[])",
};

const UPSERT: Statement = {
  label: "brought_tokens_put",
  access: "write",
  text: `INSERT INTO brought_token (account_id, environment, user_group_id, lookup)
    SELECT $1, $2, item.user_group_id, item.lookup
    FROM unnest($3::bigint[], $4::bytea[]) AS item (user_group_id, lookup)
    ON CONFLICT (account_id, environment, user_group_id) DO UPDATE SET lookup = excluded.lookup`,
};

// The row of a token that has been rotated since is unused and does not need a new hash.
const REHASH = `UPDATE brought_token SET lookup = item.new_lookup
  FROM unnest($3::bytea[], $4::bytea[]) AS item (old_lookup, new_lookup)
  WHERE account_id = $1 AND environment = $2 AND lookup = item.old_lookup`;

const OWNERS: Statement = {
  rows: "text",
  access: "read",
  text: `SELECT token_lookup, provided_id FROM user_group
      WHERE account_id = $1 AND environment = $2 AND token_lookup = ANY ($3::bytea[])
    UNION ALL
    SELECT previous_token_lookup, provided_id FROM user_group
      WHERE account_id = $1 AND environment = $2 AND previous_token_lookup = ANY ($3::bytea[])
        AND previous_token_expires_at > now()`,
};

/** The group of a token, current or in its grace period. */
export interface TokenOwner {
  /** Lookup hash of the token, in hexadecimal. */
  readonly lookup: string;
  readonly providedId: string;
}

/** Finds the tenant's groups of tokens by lookup hash. */
export async function findTokenOwners(db: TenantDb, lookups: readonly Buffer[]): Promise<TokenOwner[]> {
  const rows = await db.run<readonly [lookup: string, providedId: string]>(OWNERS, [lookups]);
  return rows.map(([lookup, providedId]) => ({ lookup: lookup.slice(HEX_PREFIX.length), providedId }));
}

/** The tenant of a group into which a token with this hash was imported; the token may have been rotated since. */
export interface TokenLocation extends Tenant {
  readonly lookup: Buffer;
}

/** Finds the tenants of imported tokens by hash, across all accounts; requires the operator scope. */
export async function findTokenLocations(
  db: Queryable,
  lookups: readonly Buffer[],
): Promise<TokenLocation[]> {
  const rows = await db.run<readonly [accountId: string, environment: Environment, lookup: string]>(FIND, [
    lookups,
  ]);
  return rows.map(([accountId, environment, lookup]) => ({
    accountId: Number(accountId),
    environment,
    lookup: readBytes(lookup),
  }));
}

/** Saves the hashes of imported tokens. */
export async function putImportedTokens(
  transaction: TenantDb,
  tokens: readonly { readonly userGroupId: number; readonly lookup: Buffer }[],
): Promise<void> {
  if (tokens.length === 0) return;
  await transaction.run(UPSERT, [
    tokens.map(({ userGroupId }) => userGroupId),
    tokens.map(({ lookup }) => lookup),
  ]);
}

/** Replaces the hashes of imported tokens. */
export async function rehashImportedTokens(
  transaction: TenantDb,
  lookups: readonly { readonly old: Buffer; readonly new: Buffer }[],
): Promise<void> {
  await transaction.run({ access: "write", text: REHASH }, [
    lookups.map(({ old }) => old),
    lookups.map((pair) => pair.new),
  ]);
}
