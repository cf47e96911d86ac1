import { Column, Entity, ForeignKey, Index } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import type { AuditAction } from "../../domain/audit/entry.js";
import { AccountEntity } from "../accounts/account-entity.js";
import { AccountKey, EnvironmentKey, SequenceKey, TimeOfWriting } from "../shared/table.js";

@Entity("audit_entry")
@Index("audit_entry_created_at_ix", ["accountId", "environment", "createdAt", "id"])
@Index("audit_entry_action_ix", ["accountId", "environment", "action", "createdAt", "id"])
@Index("audit_entry_actor_ix", ["accountId", "environment", "actorName", "createdAt", "id"])
@Index("audit_entry_erasable_ix", ["accountId", "environment", "createdAt"], {
  where: "((action = 'user_group.deleted'::text) AND (subject_name !~ '^erased:[0-9a-f]{32}$'::text))",
})
@Index("audit_entry_request_ix", ["accountId", "environment", "requestId", "createdAt", "id"], {
  where: "(request_id IS NOT NULL)",
})
@Index("audit_entry_subject_name_ix", ["accountId", "environment", "subjectName", "createdAt", "id"])
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "audit_entry_account_fk" })
export class AuditEntryEntity {
  @AccountKey("audit_entry_pk")
  accountId!: number;

  @EnvironmentKey("audit_entry_pk")
  environment!: Environment;

  @SequenceKey("audit_entry_pk")
  id!: number;

  @Column("text")
  action!: AuditAction;

  @Column("bigint")
  subjectId!: number;

  @Column("text")
  subjectName!: string;

  @Column("integer", { nullable: true })
  version!: number | null;

  @Column("text", { array: true })
  changed!: string[];

  @Column("bigint", { nullable: true })
  actorKeyId!: number | null;

  @Column("text")
  actorName!: string;

  @Column("text", { nullable: true })
  requestId!: string | null;

  @TimeOfWriting("clock_timestamp()")
  createdAt!: Date;
}
