import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
} from "typeorm";
import type { DataSource } from "../domain/data-source.js";
import { AccountEntity } from "./account-entity.js";

@Entity("data_source")
@Unique("data_source_provided_id_uq", ["accountId", "providedId"])
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "data_source_account_fk" })
export class DataSourceEntity {
  @PrimaryColumn("integer", { name: "account_id", primaryKeyConstraintName: "data_source_pk" })
  accountId!: number;

  @PrimaryGeneratedColumn("identity", {
    type: "integer",
    generatedIdentity: "ALWAYS",
    primaryKeyConstraintName: "data_source_pk",
  })
  id!: number;

  @Column({ type: "character varying", length: 255, collation: "C", name: "provided_id" })
  providedId!: string;

  @Column({ type: "character varying", length: 255, collation: "C" })
  name!: string;

  @CreateDateColumn({
    type: "timestamp with time zone",
    precision: 3,
    default: () => "now()",
    name: "created_at",
  })
  createdAt!: Date;
}

export function toDataSource(row: Omit<DataSourceEntity, "accountId">): DataSource {
  return { id: row.id, providedId: row.providedId, name: row.name, createdAt: row.createdAt };
}
