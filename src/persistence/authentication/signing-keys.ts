import { Column, Entity, type EntityManager, Index, IsNull, PrimaryColumn } from "typeorm";
import type { EncryptedToken } from "../../domain/accounts/token-vault.js";
import { SIGNING_ALGORITHM, type SigningKey } from "../../domain/authentication/signing-key.js";
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

/** A signing key as stored: the private key is encrypted. */
export interface StoredSigningKey extends SigningKey, EncryptedToken {
  /** JSON text of the public JWK. */
  readonly publicKey: string;
}

// All functions require the operator scope.

/** Lists all keys in the order in which they sign. */
export async function listSigningKeys(manager: EntityManager): Promise<StoredSigningKey[]> {
  const keys = await manager.find(SigningKeyEntity, {
    where: { algorithm: SIGNING_ALGORITHM },
    order: { signsFrom: "ASC", createdAt: "ASC" },
  });
  return keys.map(({ privateKeyId: keyId, privateKeyCiphertext: ciphertext, ...key }) => ({
    ...key,
    keyId,
    ciphertext,
  }));
}

/**
 * Inserts a key, unless another one has no successor.
 * @param leadMs time until it signs
 * @returns whether it was inserted
 */
export async function insertSigningKey(
  manager: EntityManager,
  { id, publicKey, keyId, ciphertext }: Pick<StoredSigningKey, "id" | "publicKey" | "keyId" | "ciphertext">,
  leadMs: number,
): Promise<boolean> {
  const { raw } = await manager
    .createQueryBuilder()
    .insert()
    .into(SigningKeyEntity)
    .values({
      id,
      algorithm: SIGNING_ALGORITHM,
      publicKey,
      privateKeyId: keyId,
      privateKeyCiphertext: ciphertext,
      signsFrom: () => after(leadMs),
    })
    .orIgnore()
    .returning("id")
    .execute();
  return raw.length > 0;
}

/** Retires the newest key. @param leadMs time for which it still signs @returns false if there is no key */
export async function retireSigningKey(manager: EntityManager, leadMs: number): Promise<boolean> {
  const { raw } = await manager
    .createQueryBuilder()
    .update(SigningKeyEntity)
    .set({ retiredFrom: () => after(leadMs) })
    .where({ algorithm: SIGNING_ALGORITHM, retiredFrom: IsNull() })
    .returning("id")
    .execute();
  return raw.length > 0;
}

/** Deletes all keys: no session that they signed is accepted any longer. */
export async function deleteSigningKeys(manager: EntityManager): Promise<void> {
  await manager.createQueryBuilder().delete().from(SigningKeyEntity).execute();
}

/** Replaces the encrypted private key of a key. */
export async function reencryptSigningKey(
  manager: EntityManager,
  id: string,
  { keyId, ciphertext }: EncryptedToken,
): Promise<void> {
  await manager.update(SigningKeyEntity, { id }, { privateKeyId: keyId, privateKeyCiphertext: ciphertext });
}

/** Returns SQL for a time by the database's clock, which all processes share. */
function after(ms: number): string {
  return `now() + ${Number(ms)} * interval '1 millisecond'`;
}
