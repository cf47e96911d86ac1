import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import type { Properties } from "../../domain/user-groups/properties.js";
import { AccountEntity } from "../accounts/entities.js";
import { AccountKey, EnvironmentKey, OptionalTime, TimeOfWriting } from "../shared/table.js";

@Entity("user_group")
@Unique("user_group_provided_id_uq", ["accountId", "environment", "providedId"])
@Unique("user_group_token_uq", ["accountId", "tokenLookup"])
@Index("user_group_name_ix", ["accountId", "environment", "name", "id"])
@Index("user_group_created_at_ix", ["accountId", "environment", "createdAt", "id"])
@Index("user_group_updated_at_ix", ["accountId", "environment", "updatedAt", "id"])
@Index("user_group_previous_token_ix", ["accountId", "previousTokenLookup"], {
  where: "previous_token_lookup IS NOT NULL",
})
@Index("user_group_unmapped_ix", ["accountId", "environment", "id"], {
  where: "(\nCASE\n    WHEN (mapped_version = mapping_version) THEN 1\n    ELSE 0\nEND = 0)",
})
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "user_group_account_fk" })
export class UserGroupEntity {
  @AccountKey("user_group_pk")
  accountId!: number;

  @EnvironmentKey("user_group_pk")
  environment!: Environment;

  @PrimaryColumn("bigint", { primaryKeyConstraintName: "user_group_pk" })
  id!: number;

  @Column({ type: "character varying", length: 255, collation: "C" })
  providedId!: string;

  @Column({ type: "character varying", length: 255, collation: "C" })
  name!: string;

  @Column("text")
  tokenKeyId!: string;

  @Column("bytea")
  tokenCiphertext!: Buffer;

  @Column("bytea")
  tokenLookup!: Buffer;

  /** Incremented by each rotation; embed sessions of former generations are invalid. */
  @Column("integer", { default: 1 })
  tokenGeneration!: number;

  @Column("bytea", { nullable: true })
  previousTokenLookup!: Buffer | null;

  @OptionalTime()
  previousTokenExpiresAt!: Date | null;

  @Column("json", { nullable: true })
  properties!: Properties;

  @Column("integer", { default: 1 })
  version!: number;

  /** Incremented with each change of the mapping. */
  @Column("integer", { default: 1 })
  mappingVersion!: number;

  /** Text that words are searched in, if it is not ASCII. */
  @Column({ type: "text", nullable: true, collation: "C" })
  searchText!: string | null;

  /** Hash of name and external ID that `searchText` is derived from; another if a release without it has changed the name. */
  @Column("integer", { nullable: true })
  searchHash!: number | null;

  /** The mapping version if the mapping has entries, the negative one if it has none; null or another if that is not known. */
  @Column("integer", { nullable: true })
  mappedVersion!: number | null;

  @TimeOfWriting()
  createdAt!: Date;

  @TimeOfWriting()
  updatedAt!: Date;
}
