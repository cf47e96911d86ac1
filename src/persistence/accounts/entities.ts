import { Column, Entity, ForeignKey, Unique } from "typeorm";
import { SCOPES, type Scope } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS, type Environment } from "../../domain/accounts/environment.js";
import { AccountKey, IdentityKey, OptionalTime, SequenceKey, TimeOfWriting } from "../shared/table.js";

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

@Entity("api_key")
@Unique("api_key_hash_uq", ["accountId", "hash"])
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "api_key_account_fk" })
export class ApiKeyEntity {
  @AccountKey("api_key_pk")
  accountId!: number;

  @SequenceKey("api_key_pk")
  id!: number;

  @Column("enum", { enum: ENVIRONMENTS, enumName: "environment" })
  environment!: Environment;

  @Column("enum", { enum: SCOPES, enumName: "api_key_scope" })
  scope!: Scope;

  @Column("character varying", { length: 255 })
  name!: string;

  @Column("bytea")
  hash!: Buffer;

  @Column("text")
  hint!: string;

  @TimeOfWriting()
  createdAt!: Date;

  @OptionalTime()
  expiresAt!: Date | null;

  @OptionalTime()
  revokedAt!: Date | null;

  @OptionalTime()
  lastUsedAt!: Date | null;

  /** Of the previous version: ended sessions are in `ended_console_session`. */
  @OptionalTime()
  sessionsValidFrom!: Date | null;
}
