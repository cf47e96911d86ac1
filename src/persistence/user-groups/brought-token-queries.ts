import type { Tenant } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { readBytes } from "../shared/value-parsers.js";

// Statements: set-based, and on the path of authentication.

const PLACES: Statement = {
  name: "brought_token_places",
  rows: "text",
  // It may first run while the table is empty, and then finds it full after an import.
  plan: "forValues",
  access: "read",
  text: "SELECT account_id, environment, lookup FROM brought_token WHERE lookup = ANY ($1::bytea[])",
};

const PUT: Statement = {
  access: "write",
  text: `INSERT INTO brought_token (account_id, environment, user_group_id, lookup)
    SELECT $1, $2, item.user_group_id, item.lookup
    FROM unnest($3::integer[], $4::bytea[]) AS item (user_group_id, lookup)
    ON CONFLICT (account_id, environment, user_group_id) DO UPDATE SET lookup = excluded.lookup`,
};

// Of a group whose token was rotated since, the row leads nowhere, and stays as it is.
const REHASH = `UPDATE brought_token SET lookup = item.new_lookup
  FROM unnest($3::bytea[], $4::bytea[]) AS item (old_lookup, new_lookup)
  WHERE account_id = $1 AND environment = $2 AND lookup = item.old_lookup`;

/** Where a group was given a token with this hash; it may have another one by now. */
export interface TokenPlace extends Tenant {
  readonly lookup: Buffer;
}

/** Where groups were given tokens with these hashes, in all accounts: only the operator sees that. */
export async function findTokenPlaces(db: Queryable, lookups: readonly Buffer[]): Promise<TokenPlace[]> {
  const rows = await db.run<readonly [accountId: string, environment: Environment, lookup: string]>(PLACES, [
    lookups,
  ]);
  return rows.map(([accountId, environment, lookup]) => ({
    accountId: Number(accountId),
    environment,
    lookup: readBytes(lookup),
  }));
}

/** Notes the tokens that groups have brought along. */
export async function putBroughtTokens(
  transaction: TenantDb,
  tokens: readonly { readonly userGroupId: number; readonly lookup: Buffer }[],
): Promise<void> {
  if (tokens.length === 0) return;
  await transaction.run(PUT, [
    tokens.map(({ userGroupId }) => userGroupId),
    tokens.map(({ lookup }) => lookup),
  ]);
}

/** Has tokens be found under other hashes. */
export async function rehashBroughtTokens(
  transaction: TenantDb,
  lookups: readonly { readonly old: Buffer; readonly new: Buffer }[],
): Promise<void> {
  await transaction.run({ access: "write", text: REHASH }, [
    lookups.map(({ old }) => old),
    lookups.map((pair) => pair.new),
  ]);
}
