import { Column, Entity, ForeignKey, Unique } from "typeorm";
import type { DataSource } from "../domain/data-source.js";
import { AccountEntity } from "./account-entity.js";
import { AccountKey, IdentityKey, TimeOfWriting } from "./columns.js";

@Entity("data_source")
@Unique("data_source_provided_id_uq", ["accountId", "providedId"])
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "data_source_account_fk" })
export class DataSourceEntity {
  @AccountKey("data_source_pk")
  accountId!: number;

  @IdentityKey("data_source_pk")
  id!: number;

  @Column({ type: "character varying", length: 255, collation: "C", name: "provided_id" })
  providedId!: string;

  @Column({ type: "character varying", length: 255, collation: "C" })
  name!: string;

  @TimeOfWriting("created_at")
  createdAt!: Date;
}

export function toDataSource(row: Omit<DataSourceEntity, "accountId">): DataSource {
  return { id: row.id, providedId: row.providedId, name: row.name, createdAt: row.createdAt };
}
