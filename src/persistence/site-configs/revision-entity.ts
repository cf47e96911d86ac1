import { Column, Entity, ForeignKey, PrimaryColumn } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import { AccountKey, EnvironmentKey, TimeOfWriting } from "../shared/table.js";
import { SiteConfigEntity } from "./entity.js";

@Entity("site_config_revision")
@ForeignKey(
  () => SiteConfigEntity,
  ["accountId", "environment", "siteConfigId"],
  ["accountId", "environment", "id"],
  { name: "site_config_revision_site_config_fk" },
)
export class SiteConfigRevisionEntity {
  @AccountKey("site_config_revision_pk")
  accountId!: number;

  @EnvironmentKey("site_config_revision_pk")
  environment!: Environment;

  @PrimaryColumn("bigint", {
    primaryKeyConstraintName: "site_config_revision_pk",
  })
  siteConfigId!: number;

  @PrimaryColumn("integer", { primaryKeyConstraintName: "site_config_revision_pk" })
  revision!: number;

  @Column("text")
  text!: string;

  @Column("bytea")
  hash!: Buffer;

  @Column("character varying", { length: 255 })
  author!: string;

  @Column("bigint", { nullable: true })
  authorKeyId!: number | null;

  @Column("integer", { nullable: true })
  restoredFrom!: number | null;

  @TimeOfWriting()
  createdAt!: Date;
}
