import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
} from "typeorm";
import type { ApiKey } from "../domain/api-key.js";
import { SCOPES, type Scope } from "../domain/caller.js";
import { ENVIRONMENTS, type Environment } from "../domain/environment.js";
import { AccountEntity } from "./account-entity.js";

@Entity("api_key")
@Unique("api_key_hash_uq", ["accountId", "hash"])
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "api_key_account_fk" })
export class ApiKeyEntity {
  @PrimaryColumn("integer", { name: "account_id", primaryKeyConstraintName: "api_key_pk" })
  accountId!: number;

  @PrimaryGeneratedColumn("identity", {
    type: "integer",
    generatedIdentity: "ALWAYS",
    primaryKeyConstraintName: "api_key_pk",
  })
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

  @CreateDateColumn({
    type: "timestamp with time zone",
    precision: 3,
    default: () => "now()",
    name: "created_at",
  })
  createdAt!: Date;

  @Column("timestamp with time zone", { precision: 3, name: "expires_at", nullable: true })
  expiresAt!: Date | null;

  @Column("timestamp with time zone", { precision: 3, name: "revoked_at", nullable: true })
  revokedAt!: Date | null;

  @Column("timestamp with time zone", { precision: 3, name: "last_used_at", nullable: true })
  lastUsedAt!: Date | null;
}

export function toApiKey(row: Omit<ApiKeyEntity, "hash">): ApiKey {
  return {
    id: row.id,
    accountId: row.accountId,
    environment: row.environment,
    scope: row.scope,
    name: row.name,
    hint: row.hint,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    lastUsedAt: row.lastUsedAt,
  };
}
