import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import type { SiteConfig } from "../../domain/site-configs/site-config.js";
import { AccountEntity } from "../accounts/entities.js";
import {
  AccountKey,
  EnvironmentKey,
  OptionalTime,
  type RowOf,
  SequenceKey,
  TENANT_COLUMNS,
  TimeOfWriting,
  tableOf,
} from "../shared/table.js";

@Entity("site_config")
@Index("site_config_updated_at_ix", ["accountId", "environment", "updatedAt", "id"])
@Unique("site_config_site_uq", ["accountId", "environment", "site"])
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "site_config_account_fk" })
export class SiteConfigEntity {
  @AccountKey("site_config_pk")
  accountId!: number;

  @EnvironmentKey("site_config_pk")
  environment!: Environment;

  @SequenceKey("site_config_pk")
  id!: number;

  @Column({ type: "character varying", length: 255, collation: "C" })
  site!: string;

  /** First publicly readable revision; null while the site is not public. */
  @Column("integer", { nullable: true })
  publicFrom!: number | null;

  @Column("integer")
  revision!: number;

  /** Size of the current text in bytes. */
  @Column("integer")
  size!: number;

  @TimeOfWriting()
  createdAt!: Date;

  @TimeOfWriting()
  updatedAt!: Date;

  /** Set while the site is soft-deleted. */
  @OptionalTime()
  deletedAt!: Date | null;
}

export const SITE_CONFIGS = tableOf(SiteConfigEntity, [...TENANT_COLUMNS, "deletedAt"]);

export type SiteConfigRow = RowOf<typeof SITE_CONFIGS>;

export function toSiteConfig({ publicFrom, ...row }: SiteConfigRow): SiteConfig {
  return { ...row, isPublic: publicFrom !== null };
}

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
