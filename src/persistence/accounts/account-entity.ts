import { Column, Entity, Unique } from "typeorm";
import { IdentityKey, TimeOfWriting } from "../shared/table.js";

@Entity("account")
@Unique("account_name_uq", ["name"])
export class AccountEntity {
  @IdentityKey("account_pk")
  id!: number;

  @Column("character varying", { length: 255 })
  name!: string;

  /** Key that encrypts the account's tokens: a process without it must not serve the account. */
  @Column("text")
  tokenKeyId!: string;

  @TimeOfWriting()
  createdAt!: Date;
}
