import { Column, Entity, ForeignKey, Index, PrimaryColumn } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import type { WebhookDisabledReason, WebhookEvent } from "../../domain/webhooks/webhook.js";
import { AccountEntity } from "../accounts/account-entity.js";
import { AccountKey, OptionalTime, SequenceKey, TimeOfWriting } from "../shared/table.js";

@Entity("webhook_endpoint")
@Index("webhook_endpoint_deleted_ix", ["accountId", "environment", "id"], {
  where: "(deleted_at IS NOT NULL)",
})
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "webhook_endpoint_account_fk" })
export class WebhookEndpointEntity {
  @AccountKey("webhook_endpoint_pk")
  accountId!: number;

  @PrimaryColumn("text", { primaryKeyConstraintName: "webhook_endpoint_pk" })
  environment!: Environment;

  @SequenceKey("webhook_endpoint_pk")
  id!: number;

  @Column("character varying", { length: 255 })
  name!: string;

  @Column("text")
  url!: string;

  @Column("text", { array: true })
  events!: WebhookEvent[];

  @Column("text")
  secretKeyId!: string;

  @Column("bytea")
  secretCiphertext!: Buffer;

  @Column("bytea", { nullable: true })
  previousSecretCiphertext!: Buffer | null;

  @OptionalTime()
  previousSecretExpiresAt!: Date | null;

  @OptionalTime()
  disabledAt!: Date | null;

  @Column("text", { nullable: true })
  disabledReason!: WebhookDisabledReason | null;

  /** Set when the endpoint is soft-deleted; a purge deletes the row. */
  @OptionalTime()
  deletedAt!: Date | null;

  @OptionalTime()
  lastSuccessAt!: Date | null;

  @OptionalTime()
  lastFailureAt!: Date | null;

  @Column("text", { nullable: true })
  lastError!: string | null;

  @Column("integer", { default: 0 })
  consecutiveFailures!: number;

  @OptionalTime()
  failingSince!: Date | null;

  @OptionalTime()
  pausedUntil!: Date | null;

  @TimeOfWriting()
  createdAt!: Date;
}
