import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, Unique } from "typeorm";

@Entity("account")
@Unique("account_name_uq", ["name"])
export class AccountEntity {
  @PrimaryGeneratedColumn("identity", {
    type: "integer",
    generatedIdentity: "ALWAYS",
    primaryKeyConstraintName: "account_pk",
  })
  id!: number;

  @Column("character varying", { length: 255 })
  name!: string;

  /** The key this account's tokens are sealed under: a process that does not hold it must not serve the account. */
  @Column("text", { name: "token_key_id" })
  tokenKeyId!: string;

  @CreateDateColumn({
    type: "timestamp with time zone",
    precision: 3,
    default: () => "now()",
    name: "created_at",
  })
  createdAt!: Date;
}
