import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { EncryptedToken } from "../../domain/accounts/token-vault.js";
import { SIGNING_ALGORITHM, type SigningKey } from "../../domain/authentication/signing-key.js";
import type { Queryable, Statement } from "../shared/statement.js";
import { OptionalTime, TimeOfWriting } from "../shared/table.js";

@Entity("signing_key")
@Index("signing_key_newest_uq", ["algorithm"], { unique: true, where: "retired_from IS NULL" })
@Index("signing_key_retired_from_ix", ["retiredFrom"])
export class SigningKeyEntity {
  @PrimaryColumn("text", { primaryKeyConstraintName: "signing_key_pk" })
  id!: string;

  @Column("text")
  algorithm!: string;

  /** JSON text of the public JWK. */
  @Column("text")
  publicKey!: string;

  /** The encryption key of `privateKeyCiphertext`. */
  @Column("text")
  privateKeyId!: string;

  @Column("bytea")
  privateKeyCiphertext!: Buffer;

  @TimeOfWriting()
  createdAt!: Date;

  @Column("timestamp with time zone", { precision: 3 })
  signsFrom!: Date;

  /** The time from which the next key signs; null for the newest key. */
  @OptionalTime()
  retiredFrom!: Date | null;
}

// Raw SQL: conditional writes, and a read that must not open a transaction. All statements require the operator scope.

const LIST: Statement = {
  name: "signing_keys",
  access: "read",
  text: `SELECT id, public_key AS "publicKey", private_key_id AS "keyId", private_key_ciphertext AS ciphertext,
      created_at AS "createdAt", signs_from AS "signsFrom", retired_from AS "retiredFrom"
    FROM signing_key WHERE algorithm = '${SIGNING_ALGORITHM}' ORDER BY signs_from, created_at`,
};

const INSERT: Statement = {
  name: "signing_key_insert",
  access: "write",
  text: `INSERT INTO signing_key (id, algorithm, public_key, private_key_id, private_key_ciphertext, signs_from)
    VALUES ($1, '${SIGNING_ALGORITHM}', $2, $3, $4, now() + $5::double precision * interval '1 millisecond')
    ON CONFLICT DO NOTHING RETURNING id`,
};

const RETIRE: Statement = {
  name: "signing_key_retire",
  access: "write",
  text: `UPDATE signing_key SET retired_from = now() + $1::double precision * interval '1 millisecond'
    WHERE algorithm = '${SIGNING_ALGORITHM}' AND retired_from IS NULL RETURNING id`,
};

const DELETE_ALL: Statement = {
  name: "signing_keys_delete",
  access: "write",
  text: "DELETE FROM signing_key",
};

const REENCRYPT: Statement = {
  name: "signing_key_reencrypt",
  access: "write",
  text: "UPDATE signing_key SET private_key_id = $2, private_key_ciphertext = $3 WHERE id = $1",
};

/** A signing key as stored: the private key is encrypted. */
export interface StoredSigningKey extends SigningKey, EncryptedToken {
  /** JSON text of the public JWK. */
  readonly publicKey: string;
}

/** Lists all keys in the order in which they sign. */
export async function listSigningKeys(db: Queryable): Promise<StoredSigningKey[]> {
  return db.run<StoredSigningKey>(LIST, []);
}

/**
 * Inserts a key, unless another one has no successor.
 * @param leadMs time until it signs
 * @returns whether it was inserted
 */
export async function insertSigningKey(
  db: Queryable,
  { id, publicKey, keyId, ciphertext }: Pick<StoredSigningKey, "id" | "publicKey" | "keyId" | "ciphertext">,
  leadMs: number,
): Promise<boolean> {
  return (await db.run(INSERT, [id, publicKey, keyId, ciphertext, leadMs])).length > 0;
}

/** Retires the newest key. @param leadMs time for which it still signs @returns false if there is no key */
export async function retireSigningKey(db: Queryable, leadMs: number): Promise<boolean> {
  return (await db.run(RETIRE, [leadMs])).length > 0;
}

/** Deletes all keys: no session that they signed is accepted any longer. */
export async function deleteSigningKeys(db: Queryable): Promise<void> {
  await db.run(DELETE_ALL, []);
}

/** Replaces the encrypted private key of a key. */
export async function reencryptSigningKey(
  db: Queryable,
  id: string,
  { keyId, ciphertext }: EncryptedToken,
): Promise<void> {
  await db.run(REENCRYPT, [id, keyId, ciphertext]);
}
