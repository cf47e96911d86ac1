import { Any, MoreThan } from "typeorm";
import { changeRows, tenantRows } from "../shared/purge-queries.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { WebhookDeliveryEntity } from "./deliveries.js";

// Raw SQL for the deletion: no index has the subjects of completed deliveries, so that they are searched page by page.

const TENANT = tenantRows("webhook_delivery");

/**
 * Deletes the deliveries about some objects among `limit` deliveries.
 * @param deliveries the objects, such as `user_group:7`, and whether to delete also deliveries that are still to be sent
 * @param after ID of the last delivery of the previous page; 0 for the first page
 * @returns the number of deleted deliveries, and the ID of the last one of this page; null on the last page
 */
export async function deleteDeliveriesAbout(
  transaction: TenantDb,
  { subjects, dropPending }: { readonly subjects: readonly string[]; readonly dropPending: boolean },
  after: number,
  limit: number,
): Promise<{ readonly rows: number; readonly last: number | null }> {
  const [last] = await transaction.manager("read", "webhook_deliveries_page").find(WebhookDeliveryEntity, {
    select: { id: true },
    where: { ...transaction.key, id: MoreThan(after) },
    order: { id: "ASC" },
    skip: limit - 1,
    take: 1,
  });
  const rows = await changeRows(
    transaction,
    "webhook_deliveries_erase",
    `DELETE FROM webhook_delivery WHERE ${TENANT} AND id > $3 AND id <= coalesce($4::bigint, id)
      AND subject = ANY ($5::text[]) AND (state <> 'pending' OR $6::boolean)`,
    [after, last?.id ?? null, subjects, dropPending],
  );
  return { rows, last: last?.id ?? null };
}

/** Counts the deliveries about some objects that are still to be sent. @returns also when the newest was queued */
export async function countPendingAbout(db: TenantDb, subjects: readonly string[]): Promise<Pending> {
  const pending = await db
    .manager("read", "webhook_deliveries_pending_about")
    .createQueryBuilder(WebhookDeliveryEntity, "delivery")
    .select("count(*)::integer", "count")
    .addSelect("max(delivery.queuedAt)", "newest")
    .where({ ...db.key, subject: Any([...subjects]), state: "pending" })
    .getRawOne<Pending>();
  return pending ?? { count: 0, newest: null };
}

interface Pending {
  readonly count: number;
  readonly newest: Date | null;
}
