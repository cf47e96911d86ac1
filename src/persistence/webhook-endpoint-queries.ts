import type { Tenant } from "../domain/caller.js";
import type { Page, PageRequest } from "../domain/page.js";
import type { SealedToken } from "../domain/token-vault.js";
import type { WebhookEndpoint, WebhookEndpointFields } from "../domain/webhook.js";
import { countList, selectByIds, selectPage, tenantList } from "./select-page.js";
import type { Queryable } from "./statement.js";
import {
  toWebhookEndpoint,
  WEBHOOK_ENDPOINT_COLUMNS,
  type WebhookEndpointRow,
} from "./webhook-endpoint-entity.js";

const OWN = "account_id = $1 AND environment = $2";

const TABLE = { name: "webhook_endpoint", idType: "integer" } as const;
const ITEM = { columns: WEBHOOK_ENDPOINT_COLUMNS, toItem: toWebhookEndpoint };

// Without its secret, which is sealed for the id that the endpoint gets here.
const INSERT = {
  name: "webhook_endpoint_insert",
  text: `INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext)
    SELECT $1::integer, $2::text, $3, $4, $5::text[], '', ''
    WHERE (SELECT count(*) FROM webhook_endpoint WHERE ${OWN}) < $6::integer
    RETURNING ${WEBHOOK_ENDPOINT_COLUMNS}`,
};

const SET_SECRET = {
  name: "webhook_endpoint_set_secret",
  text: `UPDATE webhook_endpoint SET secret_key_id = $4, secret_ciphertext = $5,
      previous_secret_ciphertext = CASE WHEN secret_key_id = $4 THEN secret_ciphertext END,
      previous_secret_expires_at = CASE WHEN secret_key_id = $4 THEN now() + $6 * interval '1 second' END
    WHERE ${OWN} AND id = $3 RETURNING ${WEBHOOK_ENDPOINT_COLUMNS}`,
};

const UPDATE = {
  name: "webhook_endpoint_update",
  text: `UPDATE webhook_endpoint SET name = coalesce($4, name), url = coalesce($5, url),
      events = coalesce($6::text[], events),
      disabled_at = CASE $7::boolean WHEN true THEN NULL WHEN false THEN coalesce(disabled_at, now()) ELSE disabled_at END
    WHERE ${OWN} AND id = $3 RETURNING ${WEBHOOK_ENDPOINT_COLUMNS}`,
};

const DELETE = {
  name: "webhook_endpoint_delete",
  text: `DELETE FROM webhook_endpoint WHERE ${OWN} AND id = $3 RETURNING id`,
};

/** A page of the tenant's endpoints, by id. */
export async function listWebhookEndpoints(
  db: Queryable,
  tenant: Tenant,
  page: PageRequest,
): Promise<Page<WebhookEndpoint>> {
  const keyset = { column: "id", type: "integer", idColumn: "id", direction: "ascending" } as const;
  return selectPage(db, tenantList(TABLE.name, tenant), ITEM, keyset, page);
}

export async function countWebhookEndpoints(db: Queryable, tenant: Tenant): Promise<number> {
  return countList(db, tenantList(TABLE.name, tenant));
}

/** The tenant's endpoints that have these ids, in no order. */
export async function findWebhookEndpointsByIds(
  db: Queryable,
  tenant: Tenant,
  ids: readonly number[],
): Promise<WebhookEndpoint[]> {
  return selectByIds(db, TABLE, ITEM, tenant, ids);
}

/** Adds an endpoint that has no secret yet. @returns null when the tenant has `limit` endpoints already */
export async function insertWebhookEndpoint(
  db: Queryable,
  { accountId, environment }: Tenant,
  { name, url, events }: Omit<WebhookEndpointFields, "enabled">,
  limit: number,
): Promise<WebhookEndpoint | null> {
  const values = [accountId, environment, name, url, events, limit];
  return first(await db.run<WebhookEndpointRow>(INSERT, values));
}

/** Replaces the secret; the one before it signs along for `graceSeconds`. @returns null when there is no such endpoint */
export async function setWebhookSecret(
  db: Queryable,
  { accountId, environment }: Tenant,
  id: number,
  secret: SealedToken,
  graceSeconds: number,
): Promise<WebhookEndpoint | null> {
  const values = [accountId, environment, id, secret.keyId, secret.ciphertext, graceSeconds];
  return first(await db.run<WebhookEndpointRow>(SET_SECRET, values));
}

/** Changes the fields that are present. @returns null when there is no such endpoint */
export async function updateWebhookEndpoint(
  db: Queryable,
  { accountId, environment }: Tenant,
  id: number,
  { name = null, url = null, events = null, enabled = null }: Partial<Nullable<WebhookEndpointFields>>,
): Promise<WebhookEndpoint | null> {
  const values = [accountId, environment, id, name, url, events, enabled];
  return first(await db.run<WebhookEndpointRow>(UPDATE, values));
}

/** Removes an endpoint with its deliveries. @returns whether there was one */
export async function deleteWebhookEndpoint(
  db: Queryable,
  { accountId, environment }: Tenant,
  id: number,
): Promise<boolean> {
  return (await db.run(DELETE, [accountId, environment, id])).length > 0;
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null };

function first([row]: WebhookEndpointRow[]): WebhookEndpoint | null {
  return row ? toWebhookEndpoint(row) : null;
}
