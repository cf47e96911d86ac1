import { Column, Entity, type EntityManager, Index, IsNull, PrimaryColumn } from "typeorm";
import type { TenantKey } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { EncryptedToken } from "../../domain/accounts/token-vault.js";
import { SIGNING_ALGORITHM, type SigningKey } from "../../domain/authentication/signing-key.js";
import { AccountKey, EnvironmentKey, OptionalTime, TimeOfWriting } from "../shared/table.js";

/** The columns of both tables of keys. */
abstract class SigningKeyColumns {
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

  abstract id: string;
}

@Entity("signing_key")
@Index("signing_key_newest_uq", ["algorithm"], { unique: true, where: "retired_from IS NULL" })
@Index("signing_key_retired_from_ix", ["retiredFrom"])
export class SigningKeyEntity extends SigningKeyColumns {
  @PrimaryColumn("text", { primaryKeyConstraintName: "signing_key_pk" })
  id!: string;
}

@Entity("template_signing_key")
@Index("template_signing_key_newest_uq", ["accountId", "environment", "algorithm"], {
  unique: true,
  where: "retired_from IS NULL",
})
export class TemplateSigningKeyEntity extends SigningKeyColumns {
  @AccountKey("template_signing_key_pk")
  accountId!: number;

  @EnvironmentKey("template_signing_key_pk")
  environment!: Environment;

  @PrimaryColumn("text", { primaryKeyConstraintName: "template_signing_key_pk" })
  id!: string;
}

/** Whose keys: those of the installation, for embed sessions, or those of one account and environment, for session templates. */
export type KeyOwner = TenantKey | null;

/** Returns the table of an owner's keys and the columns that identify them. */
function keysOf(owner: KeyOwner): {
  readonly entity: new () => SigningKeyColumns;
  readonly key: Partial<TenantKey> & { readonly algorithm: string };
} {
  const algorithm = SIGNING_ALGORITHM;
  if (!owner) return { entity: SigningKeyEntity, key: { algorithm } };
  const { accountId, environment } = owner;
  return { entity: TemplateSigningKeyEntity, key: { algorithm, accountId, environment } };
}

/** A signing key as stored: the private key is encrypted. */
export interface StoredSigningKey extends SigningKey, EncryptedToken {
  /** JSON text of the public JWK. */
  readonly publicKey: string;
}

// The keys of the installation require the operator scope.

/** Lists all keys in the order in which they sign. */
export async function listSigningKeys(manager: EntityManager, owner: KeyOwner): Promise<StoredSigningKey[]> {
  const { entity, key: where } = keysOf(owner);
  const keys = await manager.find(entity, {
    where,
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
  owner: KeyOwner,
  { id, publicKey, keyId, ciphertext }: Pick<StoredSigningKey, "id" | "publicKey" | "keyId" | "ciphertext">,
  leadMs: number,
): Promise<boolean> {
  const { entity, key } = keysOf(owner);
  const { raw } = await manager
    .createQueryBuilder()
    .insert()
    .into(entity)
    .values({
      ...key,
      id,
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
export async function retireSigningKey(
  manager: EntityManager,
  owner: KeyOwner,
  leadMs: number,
): Promise<boolean> {
  const { entity, key } = keysOf(owner);
  const { raw } = await manager
    .createQueryBuilder()
    .update(entity)
    .set({ retiredFrom: () => after(leadMs) })
    .where({ ...key, retiredFrom: IsNull() })
    .returning("id")
    .execute();
  return raw.length > 0;
}

/** Deletes all keys: no session that they signed is accepted any longer. */
export async function deleteSigningKeys(manager: EntityManager, owner: KeyOwner): Promise<void> {
  const { entity, key } = keysOf(owner);
  await manager.createQueryBuilder().delete().from(entity).where(key).execute();
}

/** Replaces the encrypted private key of a key. */
export async function reencryptSigningKey(
  manager: EntityManager,
  owner: KeyOwner,
  id: string,
  { keyId, ciphertext }: EncryptedToken,
): Promise<void> {
  const { entity, key } = keysOf(owner);
  await manager.update(entity, { ...key, id }, { privateKeyId: keyId, privateKeyCiphertext: ciphertext });
}

/** Returns SQL for a time by the database's clock, which all processes share. */
function after(ms: number): string {
  return `now() + ${Number(ms)} * interval '1 millisecond'`;
}
