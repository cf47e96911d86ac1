import { Column, Entity, ForeignKey, Index, PrimaryColumn } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import { DataSourceEntity } from "../data-sources/entity.js";
import { AccountKey, EnvironmentKey } from "../shared/table.js";
import { UserGroupEntity } from "./entity.js";

@Entity("mapping_entry")
@ForeignKey(
  () => UserGroupEntity,
  ["accountId", "environment", "userGroupId"],
  ["accountId", "environment", "id"],
  { name: "mapping_entry_user_group_fk", onDelete: "CASCADE" },
)
@ForeignKey(
  () => DataSourceEntity,
  ["accountId", "environment", "dataSourceId"],
  ["accountId", "environment", "id"],
  { name: "mapping_entry_data_source_fk" },
)
@Index("mapping_entry_user_group_ix", ["accountId", "dataSourceId", "environment", "userGroupId"])
export class MappingEntryEntity {
  @AccountKey("mapping_entry_pk")
  accountId!: number;

  @EnvironmentKey("mapping_entry_pk")
  environment!: Environment;

  @PrimaryColumn("bigint", { primaryKeyConstraintName: "mapping_entry_pk" })
  userGroupId!: number;

  @PrimaryColumn("character varying", {
    length: 255,
    collation: "C",
    primaryKeyConstraintName: "mapping_entry_pk",
  })
  schemaId!: string;

  @Column("bigint")
  dataSourceId!: number;
}
