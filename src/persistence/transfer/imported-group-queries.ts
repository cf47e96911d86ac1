import type { StoredToken } from "../../domain/accounts/token-vault.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { HEX_PREFIX } from "../shared/value-parsers.js";
import { recordedGroups } from "../user-groups/recorded-writes.js";

// Raw SQL: set-based batches.

// Unnamed: planning costs little compared to a batch, and a plan made while the tables were empty would later scan them for each batch.

const SELECT_GROUPS = `SELECT id, provided_id, name, properties::text, token_lookup FROM user_group
  WHERE account_id = $1 AND environment = $2 AND provided_id = ANY ($3::text[]) ORDER BY provided_id`;

const READ: Statement = { rows: "text", access: "read", text: SELECT_GROUPS };
const LOCK: Statement = { rows: "text", access: "write", text: `${SELECT_GROUPS} FOR NO KEY UPDATE` };

// Compares JSON values, not texts: the order of keys and the format of numbers do not matter (decision 12a).
const DIFFERENT_PROPERTIES: Statement = {
  rows: "text",
  access: "read",
  text: `SELECT id FROM user_group
      JOIN unnest($3::bigint[], $4::text[]) AS item (item_id, item_properties) ON id = item_id
    WHERE account_id = $1 AND environment = $2 AND id = ANY ($3::bigint[])
      AND properties::jsonb IS DISTINCT FROM item_properties::jsonb`,
};

const TOKEN_OWNERS: Statement = {
  rows: "text",
  access: "read",
  text: `SELECT token_lookup, provided_id FROM user_group
      WHERE account_id = $1 AND environment = $2 AND token_lookup = ANY ($3::bytea[])
    UNION ALL
    SELECT previous_token_lookup, provided_id FROM user_group
      WHERE account_id = $1 AND environment = $2 AND previous_token_lookup = ANY ($3::bytea[])
        AND previous_token_expires_at > now()`,
};

const REPLACE_TOKENS: Statement = {
  access: "write",
  ...recordedGroups(
    "token_rotated",
    `UPDATE user_group SET token_key_id = item.new_key_id, token_ciphertext = item.ciphertext, token_lookup = item.lookup,
      token_generation = token_generation + 1,
      previous_token_lookup = NULL, previous_token_expires_at = NULL, version = version + 1, updated_at = now()
    FROM unnest($3::bigint[], $4::text[], $5::bytea[], $6::bytea[]) AS item (item_id, new_key_id, ciphertext, lookup)
    WHERE account_id = $1 AND environment = $2 AND id = item_id RETURNING user_group.*`,
    "id",
  ),
};

/** The existing group that an imported line is compared with. */
export interface ExistingGroup {
  readonly id: number;
  readonly providedId: string;
  readonly name: string;
  /** JSON text; null without properties. */
  readonly properties: string | null;
  /** Lookup hash of its token, in hexadecimal. */
  readonly lookup: string;
}

type PresentRow = readonly [
  id: string,
  providedId: string,
  name: string,
  properties: string | null,
  lookup: string,
];

/** Loads groups by external ID. @param lock whether to lock them until the transaction ends */
export async function findExistingGroups(
  db: TenantDb,
  providedIds: readonly string[],
  lock: boolean,
): Promise<ExistingGroup[]> {
  const values = [providedIds];
  const rows = await db.run<PresentRow>(lock ? LOCK : READ, values);
  return rows.map(([id, providedId, name, properties, lookup]) => ({
    id: Number(id),
    providedId,
    name,
    properties,
    lookup: lookup.slice(HEX_PREFIX.length),
  }));
}

/** Returns the IDs of the groups whose properties differ from the given ones as JSON values. */
export async function findDifferentProperties(
  db: TenantDb,
  groups: readonly { readonly id: number; readonly properties: string }[],
): Promise<ReadonlySet<number>> {
  if (groups.length === 0) return new Set();
  const rows = await db.run<readonly [id: string]>(DIFFERENT_PROPERTIES, [
    groups.map(({ id }) => id),
    groups.map(({ properties }) => properties),
  ]);
  return new Set(rows.map(([id]) => Number(id)));
}

/** The group of a token, current or in its grace period. */
export interface TokenOwner {
  /** Lookup hash of the token, in hexadecimal. */
  readonly lookup: string;
  readonly providedId: string;
}

/** Finds the groups of tokens by lookup hash. */
export async function findTokenOwners(db: TenantDb, lookups: readonly Buffer[]): Promise<TokenOwner[]> {
  const values = [lookups];
  const rows = await db.run<readonly [lookup: string, providedId: string]>(TOKEN_OWNERS, values);
  return rows.map(([lookup, providedId]) => ({ lookup: lookup.slice(HEX_PREFIX.length), providedId }));
}

/** Replaces the tokens of groups that the transaction has locked, without a grace period. */
export async function replaceTokens(
  transaction: TenantDb,
  tokens: readonly { readonly id: number; readonly token: StoredToken }[],
): Promise<void> {
  if (tokens.length === 0) return;
  await transaction.run(REPLACE_TOKENS, [
    tokens.map(({ id }) => id),
    tokens.map(({ token }) => token.keyId),
    tokens.map(({ token }) => token.ciphertext),
    tokens.map(({ token }) => token.lookup),
  ]);
}
