import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
} from "typeorm";
import { ENVIRONMENTS, type Environment } from "../domain/environment.js";
import type { SiteConfig } from "../domain/site-config/site-config.js";
import { AccountEntity } from "./account-entity.js";

@Entity("site_config")
@Unique("site_config_site_uq", ["accountId", "environment", "site"])
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "site_config_account_fk" })
export class SiteConfigEntity {
  @PrimaryColumn("integer", { name: "account_id", primaryKeyConstraintName: "site_config_pk" })
  accountId!: number;

  @PrimaryColumn("enum", {
    enum: ENVIRONMENTS,
    enumName: "environment",
    primaryKeyConstraintName: "site_config_pk",
  })
  environment!: Environment;

  @PrimaryGeneratedColumn("identity", {
    type: "integer",
    generatedIdentity: "ALWAYS",
    primaryKeyConstraintName: "site_config_pk",
  })
  id!: number;

  @Column({ type: "character varying", length: 255, collation: "C" })
  site!: string;

  /** The first revision that everybody may read; null while the site is not public. */
  @Column("integer", { name: "public_from", nullable: true })
  publicFrom!: number | null;

  @Column("integer")
  revision!: number;

  /** Of the current text, in bytes. */
  @Column("integer")
  size!: number;

  @CreateDateColumn({
    type: "timestamp with time zone",
    precision: 3,
    default: () => "now()",
    name: "created_at",
  })
  createdAt!: Date;

  @CreateDateColumn({
    type: "timestamp with time zone",
    precision: 3,
    default: () => "now()",
    name: "updated_at",
  })
  updatedAt!: Date;
}

/** The columns a site configuration is read from. */
export const SITE_CONFIG_COLUMNS = `id, site, public_from AS "publicFrom", revision, size,
  created_at AS "createdAt", updated_at AS "updatedAt"`;

export type SiteConfigRow = Omit<SiteConfigEntity, "accountId" | "environment">;

export function toSiteConfig(row: SiteConfigRow): SiteConfig {
  return {
    id: row.id,
    site: row.site,
    isPublic: row.publicFrom !== null,
    revision: row.revision,
    size: row.size,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
