import type { EncryptedToken } from "../../domain/accounts/token-vault.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Statements: a claim is INSERT … ON CONFLICT DO UPDATE … WHERE … RETURNING, which TypeORM does not have.

/** How long a reply is stored. */
export const REPLY_MAX_AGE_MS = 86_400_000;
const KEPT = `interval '${REPLY_MAX_AGE_MS} milliseconds'`;

/** The replies of all accounts. */
export const STORED_REPLIES = { table: "idempotent_request", column: "created_at" } as const;

// Whoever comes while another one has the key waits here for the end of that transaction.
const CLAIM: Statement = {
  name: "idempotent_request_claim",
  access: "write",
  text: `INSERT INTO idempotent_request AS stored (account_id, environment, key, fingerprint) VALUES ($1, $2, $3, $4)
    ON CONFLICT (account_id, environment, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, reply_key_id = NULL, reply_ciphertext = NULL, created_at = now()
      WHERE stored.created_at < now() - ${KEPT}
    RETURNING key`,
};

const STORED: Statement = {
  name: "idempotent_request_stored",
  access: "read",
  text: `SELECT fingerprint, reply_key_id AS "keyId", reply_ciphertext AS ciphertext FROM idempotent_request
    WHERE account_id = $1 AND environment = $2 AND key = $3`,
};

const KEEP: Statement = {
  name: "idempotent_request_keep",
  access: "write",
  text: `UPDATE idempotent_request SET reply_key_id = $4, reply_ciphertext = $5
    WHERE account_id = $1 AND environment = $2 AND key = $3`,
};

const SEALED_OTHERWISE = `SELECT key, reply_key_id AS "keyId", reply_ciphertext AS ciphertext FROM idempotent_request
  WHERE account_id = $1 AND environment = $2 AND reply_key_id <> $3 LIMIT $4`;

const RESEAL = `UPDATE idempotent_request SET reply_key_id = $4, reply_ciphertext = $5
  WHERE account_id = $1 AND environment = $2 AND key = $3 AND reply_ciphertext = $6`;

/** The reply of a request that was done before. */
export interface StoredReply extends EncryptedToken {
  /** What tells its request from others. */
  readonly fingerprint: Buffer;
}

/** Takes a key for a request; waits while another transaction has it. @returns whether it was free */
export async function claimIdempotencyKey(
  transaction: TenantDb,
  key: string,
  fingerprint: Buffer,
): Promise<boolean> {
  return (await transaction.run(CLAIM, [key, fingerprint])).length > 0;
}

/** What is stored under a key; null when that was forgotten in this moment. */
export async function findStoredReply(db: TenantDb, key: string): Promise<StoredReply | null> {
  return (await db.run<StoredReply>(STORED, [key]))[0] ?? null;
}

/** Stores the reply of the request that took the key. */
export async function keepReply(
  transaction: TenantDb,
  key: string,
  { keyId, ciphertext }: EncryptedToken,
): Promise<void> {
  await transaction.run(KEEP, [key, keyId, ciphertext]);
}

/** Some of the replies that are encrypted under another key than this. */
export async function findRepliesUnderOtherKeys(
  db: TenantDb,
  keyId: string,
  limit: number,
): Promise<(EncryptedToken & { readonly key: string })[]> {
  return db.run({ access: "read", text: SEALED_OTHERWISE }, [keyId, limit]);
}

/** Puts a newly encrypted reply in place of the one that was read. */
export async function reencryptReply(
  db: TenantDb,
  old: EncryptedToken & { readonly key: string },
  { keyId, ciphertext }: EncryptedToken,
): Promise<void> {
  await db.run({ access: "write", text: RESEAL }, [old.key, keyId, ciphertext, old.ciphertext]);
}
