import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import { OptionalTime, TimeOfWriting } from "../shared/columns.js";

@Entity("signing_key")
@Index("signing_key_newest_uq", ["algorithm"], { unique: true, where: "retired_from IS NULL" })
@Index("signing_key_retired_from_ix", ["retiredFrom"])
export class SigningKeyEntity {
  @PrimaryColumn("text", { primaryKeyConstraintName: "signing_key_pk" })
  id!: string;

  @Column("text")
  algorithm!: string;

  /** JSON text of the public JWK. */
  @Column("text", { name: "public_key" })
  publicKey!: string;

  /** The encryption key of `privateKeyCiphertext`. */
  @Column("text", { name: "private_key_id" })
  privateKeyId!: string;

  @Column("bytea", { name: "private_key_ciphertext" })
  privateKeyCiphertext!: Buffer;

  @TimeOfWriting("created_at")
  createdAt!: Date;

  @Column("timestamp with time zone", { precision: 3, name: "signs_from" })
  signsFrom!: Date;

  /** The time from which the next key signs; null for the newest key. */
  @OptionalTime("retired_from")
  retiredFrom!: Date | null;
}
