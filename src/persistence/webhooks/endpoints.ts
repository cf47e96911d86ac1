import { Column, Entity, ForeignKey, Index, IsNull, Not, PrimaryColumn } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import type { EncryptedToken } from "../../domain/accounts/token-vault.js";
import { differingFields } from "../../domain/audit/entry.js";
import {
  WEBHOOK_ENDPOINT_ORDER,
  type WebhookDisabledReason,
  type WebhookEndpoint,
  type WebhookEndpointFields,
  type WebhookEndpointFilter,
  type WebhookEvent,
} from "../../domain/webhooks/webhook.js";
import { AccountEntity } from "../accounts/entities.js";
import { insertEntity } from "../shared/entity-manager.js";
import { escapeLike } from "../shared/keyset.js";
import { record } from "../shared/record.js";
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
import type { TenantDb, TenantTransaction } from "../shared/tenant-db.js";

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
  events!: readonly WebhookEvent[];

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

  /** Not `version`, which statements of the previous release would confuse with that of the recorded event. */
  @Column("integer", { default: 1 })
  editVersion!: number;

  @TimeOfWriting()
  createdAt!: Date;
}

const ENDPOINTS = tableOf(WebhookEndpointEntity, [
  ...TENANT_COLUMNS,
  "deletedAt",
  "secretKeyId",
  "secretCiphertext",
  "previousSecretCiphertext",
  "previousSecretExpiresAt",
]);

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

// Raw SQL: TypeORM has no advisory locks. Its key is an arbitrary unique constant and the account.
const LOCK_ENDPOINTS: Statement = {
  name: "webhook_endpoints_lock",
  access: "write",
  text: "SELECT pg_advisory_xact_lock(7201, $1)",
};

/** Locks the account's endpoints until the transaction ends, so that concurrent changes cannot take one name. @returns whether one has it */
export async function isEndpointNameTaken(transaction: TenantTransaction, name: string): Promise<boolean> {
  await transaction.raw.run(LOCK_ENDPOINTS, [transaction.accountId]);
  const manager = transaction.manager("write", "webhook_endpoint_name");
  return (
    (await manager.countBy(WebhookEndpointEntity, { ...transaction.key, name, deletedAt: IsNull() })) > 0
  );
}

/**
 * Inserts an endpoint; the account's endpoints must be locked, so that concurrent inserts cannot exceed the limit.
 * @param encrypt returns the secret, whose encryption is bound to the endpoint's ID
 * @returns null when the tenant already has `limit` endpoints
 */
export async function insertWebhookEndpoint(
  transaction: TenantTransaction,
  { name, url, events, enabled }: WebhookEndpointFields,
  limit: number,
  encrypt: (id: number) => EncryptedToken,
): Promise<WebhookEndpoint | null> {
  const manager = transaction.manager("write", "webhook_endpoint_insert");
  const count = await manager.countBy(WebhookEndpointEntity, { ...transaction.key, deletedAt: IsNull() });
  if (count >= limit) return null;
  const created = await insertEntity(manager, WebhookEndpointEntity, {
    ...transaction.key,
    name,
    url,
    events,
    ...(!enabled && DISABLED),
    secretKeyId: "",
    secretCiphertext: Buffer.alloc(0),
  });
  const { id } = created;
  const { keyId, ciphertext } = encrypt(id);
  const secret = { secretKeyId: keyId, secretCiphertext: ciphertext };
  await manager.update(WebhookEndpointEntity, { ...transaction.key, id }, secret);
  await record(transaction, { action: "webhook_endpoint.created", subjectId: id, subjectName: name });
  return toWebhookEndpoint(created);
}

/** Sets the secret of a locked endpoint; the previous one also signs for `graceSeconds`. */
export async function setWebhookSecret(
  transaction: TenantTransaction,
  { id, name, secretKeyId, secretCiphertext }: WebhookEndpointEntity,
  { keyId, ciphertext }: EncryptedToken,
  graceSeconds: number,
): Promise<void> {
  // One key encrypts both secrets.
  const previous =
    keyId === secretKeyId
      ? {
          previousSecretCiphertext: secretCiphertext,
          previousSecretExpiresAt: () => `now() + ${Number(graceSeconds)} * interval '1 second'`,
        }
      : { previousSecretCiphertext: null, previousSecretExpiresAt: null };
  const secret = { secretKeyId: keyId, secretCiphertext: ciphertext, ...previous };
  const manager = transaction.manager("write", "webhook_endpoint_set_secret");
  await manager.update(WebhookEndpointEntity, { ...transaction.key, id }, secret);
  const changed = ["secret"] as const;
  await record(transaction, {
    action: "webhook_endpoint.updated",
    subjectId: id,
    subjectName: name,
    changed,
  });
}

/** Ends a pause. The failures still count: the next one pauses the endpoint again, so that this causes a few attempts only. */
const DISABLED = { disabledAt: () => "now()", disabledReason: "admin" } as const;
const RESUMED = { pausedUntil: null };
const NO_FAILURES = { consecutiveFailures: 0, failingSince: null, ...RESUMED };

/**
 * Updates the fields of a locked endpoint that are present and differ. Enabling it or another URL resets its failures; `enabled: true` ends the
 * pause of an endpoint that is enabled.
 */
export async function updateWebhookEndpoint(
  transaction: TenantTransaction,
  former: WebhookEndpointEntity,
  { enabled, ...fields }: Partial<WebhookEndpointFields>,
): Promise<WebhookEndpoint> {
  const action = "webhook_endpoint.updated";
  const before = comparable({ ...former, enabled: former.disabledAt === null });
  const after = comparable({ ...former, enabled: enabled ?? before.enabled, ...fields });
  const changed = differingFields(["name", "url", "events", "enabled"], before, after);
  const isResumed = enabled === true && former.pausedUntil !== null;
  if (changed.length === 0 && !isResumed) return toWebhookEndpoint(former);
  const isEnabled = after.enabled && !before.enabled;
  const isDisabled = before.enabled && !after.enabled;
  const manager = transaction.manager("write", "webhook_endpoint_update");
  const key = { ...transaction.key, id: former.id };
  await manager.update(WebhookEndpointEntity, key, {
    ...fields,
    ...(changed.length > 0 && { editVersion: former.editVersion + 1 }),
    ...(isResumed && RESUMED),
    ...(isEnabled && { disabledAt: null, disabledReason: null }),
    ...(isDisabled && DISABLED),
    ...((isEnabled || after.url !== before.url) && NO_FAILURES),
  });
  if (changed.length > 0)
    await record(transaction, { action, subjectId: former.id, subjectName: after.name, changed });
  return toWebhookEndpoint(await manager.findOneByOrFail(WebhookEndpointEntity, key));
}

/** Ends the pause of an endpoint. @returns null when it does not exist */
export async function resumeWebhookEndpoint(
  transaction: TenantTransaction,
  id: number,
): Promise<WebhookEndpoint | null> {
  const manager = transaction.manager("write", "webhook_endpoint_resume");
  const where = { ...transaction.key, id, deletedAt: IsNull() };
  await manager.update(WebhookEndpointEntity, where, RESUMED);
  const endpoint = await manager.findOneBy(WebhookEndpointEntity, where);
  return endpoint && toWebhookEndpoint(endpoint);
}

/** Soft-deletes a locked endpoint, which also hides its deliveries. No new ones are created; a purge deletes the existing ones. */
export async function deleteWebhookEndpoint(
  transaction: TenantTransaction,
  { id, name, disabledAt }: WebhookEndpointEntity,
): Promise<void> {
  const manager = transaction.manager("write", "webhook_endpoint_delete");
  const now = () => "now()";
  const deletion = { deletedAt: now, disabledAt: disabledAt ?? now };
  await manager.update(WebhookEndpointEntity, { ...transaction.key, id }, deletion);
  await record(transaction, { action: "webhook_endpoint.deleted", subjectId: id, subjectName: name });
}

/** Loads an endpoint and locks it until the transaction ends; null when it does not exist. */
export async function lockWebhookEndpoint(
  transaction: TenantTransaction,
  id: number,
): Promise<WebhookEndpointEntity | null> {
  const where = { ...transaction.key, id, deletedAt: IsNull() };
  const manager = transaction.manager("write", "webhook_endpoint_lock");
  return manager.findOne(WebhookEndpointEntity, { where, lock: { mode: "for_no_key_update" } });
}

/** Finds the endpoints whose secrets are encrypted with a key other than `keyId`, deleted ones, too. */
export async function findSecretsUnderOtherKeys(
  db: TenantDb,
  keyId: string,
): Promise<WebhookEndpointEntity[]> {
  const manager = db.manager("read", "webhook_secrets_under_other_keys");
  return manager.findBy(WebhookEndpointEntity, { ...db.key, secretKeyId: Not(keyId) });
}

/** Replaces secrets by re-encrypted ones, unless they have been rotated since. One key encrypts both. */
export async function reencryptSecrets(
  db: TenantDb,
  { id, secretCiphertext }: WebhookEndpointEntity,
  secrets: Pick<WebhookEndpointEntity, "secretKeyId" | "secretCiphertext" | "previousSecretCiphertext">,
): Promise<void> {
  const manager = db.manager("write", "webhook_secrets_reencrypt");
  await manager.update(WebhookEndpointEntity, { ...db.key, id, secretCiphertext }, secrets);
}

function comparable({ name, url, events, enabled }: WebhookEndpointFields) {
  return { name, url, events: String(events), enabled };
}

export function toWebhookEndpoint(row: RowOf<typeof ENDPOINTS>): WebhookEndpoint {
  const { id, name, url, events, disabledAt, disabledReason, editVersion: version, createdAt } = row;
  const health = {
    lastSuccessAt: row.lastSuccessAt,
    lastFailureAt: row.lastFailureAt,
    lastError: row.lastError,
    consecutiveFailures: row.consecutiveFailures,
    failingSince: row.failingSince,
    pausedUntil: row.pausedUntil,
  };
  return { id, name, url, events, disabledAt, disabledReason, version, createdAt, health };
}
