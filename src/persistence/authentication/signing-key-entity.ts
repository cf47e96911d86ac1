import { Column, Entity, Index, PrimaryColumn } from "typeorm";
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
