import type { Tenant } from "../domain/caller.js";
import type { Page, PageRequest } from "../domain/page.js";
import type { WebhookDelivery, WebhookDeliveryFilter } from "../domain/webhook.js";
import { countList, type ListQuery, selectByIds, selectPage, tenantList } from "./select-page.js";
import type { Queryable } from "./statement.js";
import {
  toWebhookDelivery,
  WEBHOOK_DELIVERY_COLUMNS,
  type WebhookDeliveryRow,
} from "./webhook-delivery-entity.js";

const TABLE = { name: "webhook_delivery", idType: "bigint" } as const;
const ITEM = { columns: WEBHOOK_DELIVERY_COLUMNS, toItem: toWebhookDelivery };

const REPLAY = {
  name: "webhook_delivery_replay",
  text: `UPDATE webhook_delivery SET state = 'pending', attempts = 0, next_attempt_at = now(), delivered_at = NULL
    WHERE account_id = $1 AND environment = $2 AND id = $3 AND state <> 'pending'
    RETURNING ${WEBHOOK_DELIVERY_COLUMNS}`,
};

/** A page of the tenant's deliveries, newest first. */
export async function listWebhookDeliveries(
  db: Queryable,
  tenant: Tenant,
  filter: WebhookDeliveryFilter,
  page: PageRequest,
): Promise<Page<WebhookDelivery>> {
  const keyset = { column: "id", type: "bigint", idColumn: "id", direction: "descending" } as const;
  return selectPage(db, listQuery(tenant, filter), ITEM, keyset, page);
}

export async function countWebhookDeliveries(
  db: Queryable,
  tenant: Tenant,
  filter: WebhookDeliveryFilter,
): Promise<number> {
  return countList(db, listQuery(tenant, filter));
}

/** The tenant's deliveries that have these ids, in no order. */
export async function findWebhookDeliveriesByIds(
  db: Queryable,
  tenant: Tenant,
  ids: readonly number[],
): Promise<WebhookDelivery[]> {
  return selectByIds(db, TABLE, ITEM, tenant, ids);
}

/** Has a delivery made once more. @returns null when there is none, or it is still on its way */
export async function replayDelivery(
  db: Queryable,
  { accountId, environment }: Tenant,
  id: number,
): Promise<WebhookDelivery | null> {
  const [row] = await db.run<WebhookDeliveryRow>(REPLAY, [accountId, environment, id]);
  return row ? toWebhookDelivery(row) : null;
}

function listQuery(tenant: Tenant, { endpointId, state }: WebhookDeliveryFilter): ListQuery {
  const list = tenantList(TABLE.name, tenant);
  const { values } = list;
  const conditions = [
    ...list.conditions,
    ...(endpointId === undefined ? [] : [`endpoint_id = ${values.add(endpointId)}`]),
    ...(state === undefined ? [] : [`state = ${values.add(state)}`]),
  ];
  return { ...list, conditions };
}
