import { Column, Entity, ForeignKey, Index, Unique } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import type { DataSource } from "../../domain/data-sources/data-source.js";
import { AccountEntity } from "../accounts/entities.js";
import { AccountKey, EnvironmentKey, SequenceKey, TimeOfWriting } from "../shared/table.js";

@Entity("data_source")
@Index("data_source_name_ix", ["accountId", "environment", "name", "id"])
@Index("data_source_created_at_ix", ["accountId", "environment", "createdAt", "id"])
@Unique("data_source_provided_id_uq", ["accountId", "environment", "providedId"])
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "data_source_account_fk" })
export class DataSourceEntity {
  @AccountKey("data_source_pk")
  accountId!: number;

  @EnvironmentKey("data_source_pk")
  environment!: Environment;

  @SequenceKey("data_source_pk")
  id!: number;

  @Column({ type: "character varying", length: 255, collation: "C" })
  providedId!: string;

  @Column({ type: "character varying", length: 255, collation: "C" })
  name!: string;

  @Column("integer", { default: 1 })
  version!: number;

  @TimeOfWriting()
  createdAt!: Date;
}

export function toDataSource(row: Omit<DataSourceEntity, "accountId" | "environment">): DataSource {
  const { id, providedId, name, version, createdAt } = row;
  return { id, providedId, name, version, createdAt };
}
