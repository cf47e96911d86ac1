import type { EncryptedToken } from "../../domain/accounts/token-vault.js";
import { changeRows } from "../shared/purge-queries.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: every request with an Idempotency-Key runs it. A claim is INSERT … ON CONFLICT DO UPDATE … WHERE … RETURNING, which TypeORM does
// not support; without it, the table needs no entity.

/** Time for which a response is stored. */
export const REPLY_MAX_AGE_MS = 86_400_000;
const MAX_AGE = `interval '${REPLY_MAX_AGE_MS} milliseconds'`;

// Waits for the end of a concurrent transaction that has claimed the same key.
// The difference of two times is immutable, which Citus requires here; now() is not.
const CLAIM: Statement = {
  name: "idempotent_request_claim",
  access: "write",
  text: `INSERT INTO idempotent_request AS stored (account_id, environment, key, fingerprint) VALUES ($1, $2, $3, $4)
    ON CONFLICT (account_id, environment, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, reply_key_id = NULL, reply_ciphertext = NULL, created_at = excluded.created_at
      WHERE excluded.created_at - stored.created_at > ${MAX_AGE}
    RETURNING key`,
};

const STORED: Statement = {
  name: "idempotent_request_stored",
  access: "read",
  text: `SELECT fingerprint, reply_key_id AS "keyId", reply_ciphertext AS ciphertext FROM idempotent_request
    WHERE account_id = $1 AND environment = $2 AND key = $3`,
};

const STORE: Statement = {
  name: "idempotent_request_keep",
  access: "write",
  text: `UPDATE idempotent_request SET reply_key_id = $4, reply_ciphertext = $5, user_group_ids = $6
    WHERE account_id = $1 AND environment = $2 AND key = $3`,
};

const DELETE_ABOUT =
  "DELETE FROM idempotent_request WHERE account_id = $1 AND environment = $2 AND user_group_ids && $3::bigint[]";

const WITH_OTHER_KEY = `SELECT key, reply_key_id AS "keyId", reply_ciphertext AS ciphertext FROM idempotent_request
  WHERE account_id = $1 AND environment = $2 AND reply_key_id <> $3 AND key > $4 ORDER BY key LIMIT $5`;

const REENCRYPT = `UPDATE idempotent_request SET reply_key_id = $4, reply_ciphertext = $5
  WHERE account_id = $1 AND environment = $2 AND key = $3 AND reply_ciphertext = $6`;

/** The stored response of an earlier request with the same key. */
export interface StoredReply extends EncryptedToken {
  /** Hash that identifies the request. */
  readonly fingerprint: Buffer;
}

/** Claims an idempotency key; waits while another transaction holds it. @returns false when the key is already used */
export async function claimIdempotencyKey(
  transaction: TenantDb,
  key: string,
  fingerprint: Buffer,
): Promise<boolean> {
  return (await transaction.run(CLAIM, [key, fingerprint])).length > 0;
}

/** Loads the response stored under a key; null when it has just been purged. */
export async function findStoredReply(db: TenantDb, key: string): Promise<StoredReply | null> {
  return (await db.run<StoredReply>(STORED, [key]))[0] ?? null;
}

/** Stores the response of the request that claimed the key, and the IDs of the groups that it has read or changed. */
export async function saveReply(
  transaction: TenantDb,
  key: string,
  { keyId, ciphertext }: EncryptedToken,
  userGroupIds: readonly number[],
): Promise<void> {
  await transaction.run(STORE, [key, keyId, ciphertext, userGroupIds]);
}

/** Deletes the stored responses of requests that have read or changed some groups. @returns their number */
export async function deleteRepliesAbout(db: TenantDb, userGroupIds: readonly number[]): Promise<number> {
  return changeRows(db, "idempotent_requests_erase", DELETE_ABOUT, [userGroupIds]);
}

/** A stored response, encrypted, and its idempotency key. */
export interface EncryptedReply extends EncryptedToken {
  readonly key: string;
}

/** Finds the next responses, by idempotency key, that are encrypted with a key other than `keyId`. */
export async function findRepliesUnderOtherKeys(
  db: TenantDb,
  keyId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<EncryptedReply[]> {
  return db.run({ access: "read", text: WITH_OTHER_KEY }, [keyId, after, limit]);
}

/** Replaces a response by a re-encrypted one, unless it has changed since. */
export async function reencryptReply(
  db: TenantDb,
  old: EncryptedReply,
  { keyId, ciphertext }: EncryptedToken,
): Promise<void> {
  await db.run({ access: "write", text: REENCRYPT }, [old.key, keyId, ciphertext, old.ciphertext]);
}
