import type { EncryptedToken, StoredToken } from "../../domain/accounts/token-vault.js";
import { tenantRows } from "../shared/purge-queries.js";
import type { Queryable } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: set-based and conditional on the values read before.

const SET_KEY = "UPDATE account SET token_key_id = $2 WHERE id = $1 AND token_key_id <> $2 RETURNING id";

const TOKENS_WITH_OTHER_KEY = `SELECT id, token_key_id AS "keyId", token_ciphertext AS ciphertext, token_lookup AS lookup
  FROM user_group WHERE account_id = $1 AND environment = $2 AND id > $3 AND token_key_id <> $4
  ORDER BY id LIMIT $5`;

// A token that has been rotated since it was read has another hash, and is already encrypted with the new key.
const REENCRYPT = `UPDATE user_group SET token_key_id = $3, token_ciphertext = item.ciphertext, token_lookup = item.lookup
  FROM unnest($4::bigint[], $5::bytea[], $6::bytea[], $7::bytea[]) AS item (item_id, old_lookup, ciphertext, lookup)
  WHERE account_id = $1 AND environment = $2 AND id = item_id AND token_lookup = item.old_lookup
  RETURNING id`;

const SECRETS_WITH_OTHER_KEY = `SELECT id, secret_key_id AS "keyId", secret_ciphertext AS current,
    previous_secret_ciphertext AS previous
  FROM webhook_endpoint WHERE account_id = $1 AND environment = $2 AND secret_key_id <> $3 ORDER BY id`;

const REENCRYPT_SECRET = `UPDATE webhook_endpoint
  SET secret_key_id = $4, secret_ciphertext = $5, previous_secret_ciphertext = $6
  WHERE account_id = $1 AND environment = $2 AND id = $3 AND secret_ciphertext = $7`;

// Tokens of the current format have a suffix behind the key ID.
const ROWS_BY_KEY = `SELECT split_part(key_id, '.', 1) AS "keyId", count(*)::integer AS rows FROM (
    SELECT token_key_id AS key_id FROM user_group WHERE ${tenantRows("user_group")}
    UNION ALL SELECT secret_key_id FROM webhook_endpoint WHERE ${tenantRows("webhook_endpoint")}
    UNION ALL SELECT reply_key_id FROM idempotent_request
      WHERE ${tenantRows("idempotent_request")} AND reply_key_id IS NOT NULL
  ) AS encrypted GROUP BY 1`;

// All columns that a re-encryption updates.
const MISSING_GRANTS = `SELECT format('UPDATE (%s) ON %s', string_agg(name, ', '), relation) AS grant FROM (VALUES
    ('account', 'token_key_id'),
    ('user_group', 'token_key_id'), ('user_group', 'token_ciphertext'), ('user_group', 'token_lookup'),
    ('brought_token', 'lookup'),
    ('webhook_endpoint', 'secret_key_id'), ('webhook_endpoint', 'secret_ciphertext'),
    ('webhook_endpoint', 'previous_secret_ciphertext'),
    ('idempotent_request', 'reply_key_id'), ('idempotent_request', 'reply_ciphertext'),
    ('signing_key', 'private_key_id'), ('signing_key', 'private_key_ciphertext')
  ) AS updated (relation, name)
  WHERE NOT has_column_privilege(relation, name, 'UPDATE') GROUP BY relation ORDER BY relation`;

/** Returns the privileges for a re-encryption that the role does not have. */
export async function findMissingGrants(db: Queryable): Promise<string[]> {
  const rows = await db.run<{ grant: string }>({ access: "read", text: MISSING_GRANTS }, []);
  return rows.map(({ grant }) => grant);
}

/** Counts the tenant's encrypted rows by the ID of their key. */
export async function countRowsByKey(db: TenantDb): Promise<{ keyId: string; rows: number }[]> {
  return db.run<{ keyId: string; rows: number }>({ access: "read", text: ROWS_BY_KEY }, []);
}

/** Sets the key that encrypts an account's new tokens. @returns whether it has changed */
export async function setTokenKey(db: Queryable, accountId: number, keyId: string): Promise<boolean> {
  return (await db.run({ access: "write", text: SET_KEY }, [accountId, keyId])).length > 0;
}

/** A group's encrypted token and its lookup hash. */
export interface EncryptedRow extends EncryptedToken {
  readonly id: number;
  readonly lookup: Buffer;
}

/** Finds the next tokens, by group ID, that are encrypted with a key other than `keyId`. */
export async function findTokensUnderOtherKeys(
  db: TenantDb,
  afterId: number,
  keyId: string,
  limit: number,
): Promise<EncryptedRow[]> {
  return db.run<EncryptedRow>({ access: "read", text: TOKENS_WITH_OTHER_KEY }, [afterId, keyId, limit]);
}

/** Replaces tokens by re-encrypted ones, unless they have been rotated since. @returns the number of replaced tokens */
export async function reencryptTokens(
  db: TenantDb,
  keyId: string,
  tokens: readonly { readonly old: EncryptedRow; readonly token: StoredToken }[],
): Promise<number> {
  const rows = await db.run({ access: "write", text: REENCRYPT }, [
    keyId,
    tokens.map(({ old }) => old.id),
    tokens.map(({ old }) => old.lookup),
    tokens.map(({ token }) => token.ciphertext),
    tokens.map(({ token }) => token.lookup),
  ]);
  return rows.length;
}

/** The encrypted secrets of a webhook endpoint; one key encrypts both. */
export interface EncryptedSecrets {
  readonly id: number;
  readonly keyId: string;
  readonly current: Buffer;
  readonly previous: Buffer | null;
}

/** Finds the webhook endpoints' secrets that are encrypted with a key other than `keyId`. */
export async function findSecretsUnderOtherKeys(db: TenantDb, keyId: string): Promise<EncryptedSecrets[]> {
  return db.run<EncryptedSecrets>({ access: "read", text: SECRETS_WITH_OTHER_KEY }, [keyId]);
}

/** Replaces secrets by re-encrypted ones, unless they have been rotated since. */
export async function reencryptSecrets(
  db: TenantDb,
  old: EncryptedSecrets,
  { keyId, current, previous }: Omit<EncryptedSecrets, "id">,
): Promise<void> {
  const values = [old.id, keyId, current, previous, old.current];
  await db.run({ access: "write", text: REENCRYPT_SECRET }, values);
}
