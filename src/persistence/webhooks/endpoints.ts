import { Column, Entity, ForeignKey, Index, PrimaryColumn } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import type { EncryptedToken } from "../../domain/accounts/token-vault.js";
import {
  WEBHOOK_ENDPOINT_ORDER,
  type WebhookDisabledReason,
  type WebhookEndpoint,
  type WebhookEndpointFields,
  type WebhookEndpointFilter,
  type WebhookEvent,
} from "../../domain/webhooks/webhook.js";
import { AccountEntity } from "../accounts/entities.js";
import { recorded } from "../shared/audit-recording.js";
import { escapeLike } from "../shared/keyset.js";
import { defineList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import {
  AccountKey,
  OptionalTime,
  type RowOf,
  SequenceKey,
  TENANT_COLUMNS,
  TimeOfWriting,
  tableOf,
} from "../shared/table.js";
import type { TenantDb } from "../shared/tenant-db.js";

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

// Raw SQL: UPDATE … RETURNING computes columns from the row; INSERT checks the number of endpoints.

const OF_TENANT = "account_id = $1 AND environment = $2 AND deleted_at IS NULL";

/** First part of an advisory lock's key, an arbitrary unique constant; the second part is the account ID. */
const ENDPOINTS_LOCK = 7_201;

const ENDPOINTS = tableOf(WebhookEndpointEntity, [
  ...TENANT_COLUMNS,
  "deletedAt",
  "secretKeyId",
  "secretCiphertext",
  "previousSecretCiphertext",
  "previousSecretExpiresAt",
]);
type EndpointRow = RowOf<typeof ENDPOINTS>;

export const WEBHOOK_ENDPOINT_LIST = defineList({
  table: ENDPOINTS,
  order: WEBHOOK_ENDPOINT_ORDER,
  toItem: toWebhookEndpoint,
  condition: "deleted_at IS NULL",
  conditions: ({ isEnabled, urlContains }: WebhookEndpointFilter, values) => [
    isEnabled !== undefined && `(disabled_at IS NULL) = ${values.add(isEnabled)}::boolean`,
    urlContains !== undefined && `url ILIKE ${values.add(`%${escapeLike(urlContains)}%`)}`,
  ],
});

function toWebhookEndpoint({
  id,
  name,
  url,
  events,
  disabledAt,
  disabledReason,
  createdAt,
  ...health
}: EndpointRow): WebhookEndpoint {
  return { id, name, url, events, disabledAt, disabledReason, createdAt, health };
}

// Lock before counting, so that concurrent inserts cannot exceed the limit.
const LOCK: Statement = {
  name: "webhook_endpoints_lock",
  access: "write",
  text: "SELECT pg_advisory_xact_lock($1, $2)",
};

// Without the secret: its encryption is bound to the ID that is generated here.
const COUNT: Statement = {
  name: "webhook_endpoints_count",
  access: "write",
  text: `SELECT count(*)::integer AS count FROM webhook_endpoint WHERE ${OF_TENANT}`,
};

const INSERT: Statement = {
  name: "webhook_endpoint_insert",
  access: "write",
  ...recorded(
    `INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext)
    VALUES ($1, $2, $3, $4, $5, '', '') RETURNING *`,
    { action: "'webhook_endpoint.created'", subjectName: "name" },
    ENDPOINTS.columns,
  ),
};

const SET_SECRET: Statement = {
  name: "webhook_endpoint_set_secret",
  access: "write",
  // The first secret belongs to the creation; to encrypt one under another key is no change.
  ...recorded(
    `UPDATE webhook_endpoint SET secret_key_id = $4, secret_ciphertext = $5,
      previous_secret_ciphertext = CASE WHEN secret_key_id = $4 THEN secret_ciphertext END,
      previous_secret_expires_at = CASE WHEN secret_key_id = $4 THEN grace_ends_at END
    FROM former WHERE ${OF_TENANT} AND id = $3 RETURNING webhook_endpoint.*, former_key_id`,
    {
      action: "'webhook_endpoint.updated'",
      subjectName: "name",
      changed: "'{secret}'",
      from: "FROM changed WHERE former_key_id = secret_key_id",
    },
    ENDPOINTS.columns,
    `former AS (SELECT secret_key_id AS former_key_id, now() + $6 * interval '1 second' AS grace_ends_at FROM webhook_endpoint WHERE ${OF_TENANT} AND id = $3 FOR NO KEY UPDATE),`,
  ),
};

/** True when an update enables the endpoint or changes its URL, which resets the failures. */
const RESETS_FAILURES = "($7::boolean AND disabled_at IS NOT NULL) OR $5 <> url";

const CHANGED = `array_remove(ARRAY[
  CASE WHEN name <> former_name THEN 'name' END,
  CASE WHEN url <> former_url THEN 'url' END,
  CASE WHEN events <> former_events THEN 'events' END,
  CASE WHEN (disabled_at IS NULL) <> was_enabled THEN 'enabled' END], NULL)`;

const UPDATE: Statement = {
  name: "webhook_endpoint_update",
  access: "write",
  ...recorded(
    `UPDATE webhook_endpoint SET name = coalesce($4, name), url = coalesce($5, url),
      events = coalesce($6::text[], events),
      disabled_at = CASE WHEN $7::boolean THEN NULL WHEN NOT $7 THEN coalesce(disabled_at, changed_at) ELSE disabled_at END,
      disabled_reason = CASE WHEN $7 THEN NULL WHEN NOT $7 AND disabled_at IS NULL THEN 'admin' ELSE disabled_reason END,
      consecutive_failures = CASE WHEN ${RESETS_FAILURES} THEN 0 ELSE consecutive_failures END,
      failing_since = CASE WHEN ${RESETS_FAILURES} THEN NULL ELSE failing_since END,
      paused_until = CASE WHEN ${RESETS_FAILURES} THEN NULL ELSE paused_until END
    FROM former WHERE ${OF_TENANT} AND id = $3
    RETURNING webhook_endpoint.*, former_name, former_url, former_events, was_enabled`,
    {
      action: "'webhook_endpoint.updated'",
      subjectName: "name",
      changed: CHANGED,
      from: `FROM changed WHERE ${CHANGED} <> '{}'`,
    },
    ENDPOINTS.columns,
    `former AS (SELECT name AS former_name, url AS former_url, events AS former_events, disabled_at IS NULL AS was_enabled, now() AS changed_at
      FROM webhook_endpoint WHERE ${OF_TENANT} AND id = $3 FOR NO KEY UPDATE),`,
  ),
};

const DELETE: Statement = {
  name: "webhook_endpoint_delete",
  access: "write",
  // No new deliveries are created; a purge deletes the existing ones.
  ...recorded(
    `UPDATE webhook_endpoint SET deleted_at = changed_at, disabled_at = coalesce(disabled_at, changed_at)
    FROM former WHERE ${OF_TENANT} AND id = $3 RETURNING webhook_endpoint.*`,
    { action: "'webhook_endpoint.deleted'", subjectName: "name" },
    "id",
    "former AS (SELECT now() AS changed_at),",
  ),
};

/** Inserts an endpoint without a secret. @returns null when the tenant already has `limit` endpoints */
export async function insertWebhookEndpoint(
  transaction: TenantDb,
  { name, url, events }: Omit<WebhookEndpointFields, "enabled">,
  limit: number,
): Promise<WebhookEndpoint | null> {
  await transaction.raw.run(LOCK, [ENDPOINTS_LOCK, transaction.accountId]);
  const [{ count } = { count: 0 }] = await transaction.run<{ count: number }>(COUNT, []);
  if (count >= limit) return null;
  return first(await transaction.run<EndpointRow>(INSERT, [name, url, events]));
}

/** Sets the secret; the previous one also signs for `graceSeconds`. @returns null when the endpoint does not exist */
export async function setWebhookSecret(
  db: TenantDb,
  id: number,
  secret: EncryptedToken,
  graceSeconds: number,
): Promise<WebhookEndpoint | null> {
  const values = [id, secret.keyId, secret.ciphertext, graceSeconds];
  return first(await db.run<EndpointRow>(SET_SECRET, values));
}

/** Updates the fields that are present. @returns null when the endpoint does not exist */
export async function updateWebhookEndpoint(
  db: TenantDb,
  id: number,
  { name = null, url = null, events = null, enabled = null }: Partial<Nullable<WebhookEndpointFields>>,
): Promise<WebhookEndpoint | null> {
  const values = [id, name, url, events, enabled];
  return first(await db.run<EndpointRow>(UPDATE, values));
}

/** Soft-deletes an endpoint, which also hides its deliveries. @returns whether it existed */
export async function deleteWebhookEndpoint(db: TenantDb, id: number): Promise<boolean> {
  return (await db.run(DELETE, [id])).length > 0;
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null };

function first([row]: EndpointRow[]): WebhookEndpoint | null {
  return row ? toWebhookEndpoint(row) : null;
}
