import { type EntityManager, MoreThan, Not } from "typeorm";
import type { StoredToken } from "../../domain/accounts/token-vault.js";
import { AccountEntity } from "../accounts/entities.js";
import { tenantRows } from "../shared/purge-queries.js";
import type { Queryable } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { UserGroupEntity } from "./entity.js";

// Raw SQL: many rows in one statement, of several tables, and privileges.

// A token that has been rotated since it was read has another hash, and is already encrypted with the new key.
const REENCRYPT = `UPDATE user_group SET token_key_id = $3, token_ciphertext = item.ciphertext, token_lookup = item.lookup
  FROM unnest($4::bigint[], $5::bytea[], $6::bytea[], $7::bytea[]) AS item (item_id, old_lookup, ciphertext, lookup)
  WHERE account_id = $1 AND environment = $2 AND id = item_id AND token_lookup = item.old_lookup
  RETURNING id`;

// Tokens of the current format have a suffix behind the key ID.
const ROWS_BY_KEY = `SELECT split_part(key_id, '.', 1) AS "keyId", count(*)::integer AS rows FROM (
    SELECT token_key_id AS key_id FROM user_group WHERE ${tenantRows("user_group")}
    UNION ALL SELECT secret_key_id FROM webhook_endpoint WHERE ${tenantRows("webhook_endpoint")}
    UNION ALL SELECT reply_key_id FROM idempotent_request
      WHERE ${tenantRows("idempotent_request")} AND reply_key_id IS NOT NULL
    UNION ALL SELECT secret_key_id FROM session_template
      WHERE ${tenantRows("session_template")} AND secret_key_id IS NOT NULL
    UNION ALL SELECT private_key_id FROM template_signing_key WHERE ${tenantRows("template_signing_key")}
  ) AS encrypted GROUP BY 1`;

// All columns that a re-encryption updates.
const MISSING_GRANTS = `SELECT format('UPDATE (%s) ON %s', string_agg(name, ', '), relation) AS grant FROM (VALUES
    ('account', 'token_key_id'),
    ('user_group', 'token_key_id'), ('user_group', 'token_ciphertext'), ('user_group', 'token_lookup'),
    ('brought_token', 'lookup'),
    ('webhook_endpoint', 'secret_key_id'), ('webhook_endpoint', 'secret_ciphertext'),
    ('webhook_endpoint', 'previous_secret_ciphertext'),
    ('idempotent_request', 'reply_key_id'), ('idempotent_request', 'reply_ciphertext'),
    ('signing_key', 'private_key_id'), ('signing_key', 'private_key_ciphertext'),
    ('session_template', 'secret_key_id'), ('session_template', 'secret_ciphertext'), ('session_template', 'secret_lookup'),
    ('template_signing_key', 'private_key_id'), ('template_signing_key', 'private_key_ciphertext')
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
export async function setTokenKey(
  manager: EntityManager,
  accountId: number,
  keyId: string,
): Promise<boolean> {
  const { raw } = await manager
    .createQueryBuilder()
    .update(AccountEntity)
    .set({ tokenKeyId: keyId })
    .where({ id: accountId, tokenKeyId: Not(keyId) })
    .returning("id")
    .execute();
  return raw.length > 0;
}

/** A group's encrypted token and its lookup hash. */
export type EncryptedRow = Pick<UserGroupEntity, "id" | "tokenKeyId" | "tokenCiphertext" | "tokenLookup">;

/** Finds the next tokens, by group ID, that are encrypted with a key other than `keyId`. */
export async function findTokensUnderOtherKeys(
  db: TenantDb,
  afterId: number,
  keyId: string,
  limit: number,
): Promise<EncryptedRow[]> {
  return db.manager("read", "tokens_under_other_keys").find(UserGroupEntity, {
    select: { id: true, tokenKeyId: true, tokenCiphertext: true, tokenLookup: true },
    where: { ...db.key, id: MoreThan(afterId), tokenKeyId: Not(keyId) },
    order: { id: "ASC" },
    take: limit,
  });
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
    tokens.map(({ old }) => old.tokenLookup),
    tokens.map(({ token }) => token.ciphertext),
    tokens.map(({ token }) => token.lookup),
  ]);
  return rows.length;
}
