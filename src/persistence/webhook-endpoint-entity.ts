import { Column, Entity, ForeignKey, PrimaryColumn } from "typeorm";
import type { Environment } from "../domain/environment.js";
import type { WebhookEndpoint, WebhookEvent } from "../domain/webhook.js";
import { AccountEntity } from "./account-entity.js";
import { AccountKey, IdentityKey, OptionalTime, TimeOfWriting } from "./columns.js";

@Entity("webhook_endpoint")
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "webhook_endpoint_account_fk" })
export class WebhookEndpointEntity {
  @AccountKey("webhook_endpoint_pk")
  accountId!: number;

  @PrimaryColumn("text", { primaryKeyConstraintName: "webhook_endpoint_pk" })
  environment!: Environment;

  @IdentityKey("webhook_endpoint_pk")
  id!: number;

  @Column("character varying", { length: 255 })
  name!: string;

  @Column("text")
  url!: string;

  @Column("text", { array: true })
  events!: WebhookEvent[];

  @Column("text", { name: "secret_key_id" })
  secretKeyId!: string;

  @Column("bytea", { name: "secret_ciphertext" })
  secretCiphertext!: Buffer;

  @Column("bytea", { name: "previous_secret_ciphertext", nullable: true })
  previousSecretCiphertext!: Buffer | null;

  @OptionalTime("previous_secret_expires_at")
  previousSecretExpiresAt!: Date | null;

  @OptionalTime("disabled_at")
  disabledAt!: Date | null;

  @TimeOfWriting("created_at")
  createdAt!: Date;
}

/** The columns an endpoint is read from: its secrets are not among them. */
export const WEBHOOK_ENDPOINT_COLUMNS = `id, name, url, events, disabled_at AS "disabledAt", created_at AS "createdAt"`;

export type WebhookEndpointRow = Pick<
  WebhookEndpointEntity,
  "id" | "name" | "url" | "events" | "disabledAt" | "createdAt"
>;

export function toWebhookEndpoint(row: WebhookEndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: row.events,
    disabledAt: row.disabledAt,
    createdAt: row.createdAt,
  };
}
