import { Column, Entity, JoinColumn, ManyToOne, OneToMany, PrimaryColumn } from "typeorm";

// The measured columns, with relations as in TypeORM's documentation.

const TENANT = [
  { name: "account_id", referencedColumnName: "accountId" },
  { name: "environment", referencedColumnName: "environment" },
];

class OfTenant {
  @PrimaryColumn("integer", { name: "account_id" })
  accountId!: number;

  @PrimaryColumn("text")
  environment!: string;
}

@Entity("data_source")
export class DataSourceModel extends OfTenant {
  @PrimaryColumn("bigint", { name: "id" })
  dataSourceId!: number;

  @Column("character varying", { name: "provided_id" })
  providedId!: string;

  @Column("character varying")
  name!: string;
}

@Entity("user_group")
export class UserGroupModel extends OfTenant {
  @PrimaryColumn("bigint", { name: "id" })
  teamId!: number;

  @Column("character varying", { name: "provided_id" })
  providedId!: string;

  @Column("character varying")
  name!: string;

  @Column("bytea", { name: "token_lookup", select: false })
  tokenLookup!: Buffer;

  @Column("json", { nullable: true })
  properties!: unknown;

  @Column("integer")
  version!: number;

  @OneToMany(
    () => MappingEntryModel,
    (entry) => entry.userGroup,
  )
  mapping!: MappingEntryModel[];
}

@Entity("mapping_entry")
export class MappingEntryModel extends OfTenant {
  @PrimaryColumn("bigint", { name: "user_group_id" })
  userGroupId!: number;

  @PrimaryColumn("character varying", { name: "schema_id" })
  schemaId!: string;

  @ManyToOne(
    () => UserGroupModel,
    (group) => group.mapping,
  )
  @JoinColumn([...TENANT, { name: "user_group_id", referencedColumnName: "teamId" }])
  userGroup!: UserGroupModel;

  @ManyToOne(() => DataSourceModel)
  @JoinColumn([...TENANT, { name: "data_source_id", referencedColumnName: "dataSourceId" }])
  dataSource!: DataSourceModel;
}
