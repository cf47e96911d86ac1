import { ACCEPTED_AFTER_RETIREMENT_MS } from "../domain/authentication/signing-key.js";
import { RETIRED_SIGNING_KEYS } from "../persistence/authentication/signing-key-queries.js";
import type { Database } from "../persistence/database/database.js";
import { REPLY_MAX_AGE_MS, STORED_REPLIES } from "../persistence/requests/idempotent-request-queries.js";
import { type ExpiringRows, expiredSeconds, purgeExpired } from "../persistence/shared/purge-queries.js";
import {
  type DeletedEndpoint,
  findDeletedEndpoints,
  removeDeliveries,
  removeEndpoint,
} from "../persistence/webhooks/deleted-endpoint-queries.js";
import { COMPLETED_DELIVERIES, PENDING_DELIVERIES } from "../persistence/webhooks/delivery-queries.js";
import type { Purge } from "./shared/purges.js";

const DAY_MS = 86_400_000;
/** Retention of finished deliveries, which can be read and replayed until then. */
const DELIVERY_MAX_AGE_MS = 30 * DAY_MS;

/** Creates all background purges. @param pendingMaxAgeMs age at which an undelivered webhook is abandoned */
export function createPurgeList(database: Database, pendingMaxAgeMs: number): Purge[] {
  return [
    purgeOf("webhook_deliveries", database, COMPLETED_DELIVERIES, DELIVERY_MAX_AGE_MS),
    purgeOf("idempotent_replies", database, STORED_REPLIES, REPLY_MAX_AGE_MS),
    purgeOf("pending_webhook_deliveries", database, PENDING_DELIVERIES, pendingMaxAgeMs),
    purgeOf("retired_signing_keys", database, RETIRED_SIGNING_KEYS, ACCEPTED_AFTER_RETIREMENT_MS),
    deletedEndpoints(database),
  ];
}

/** Creates a purge that deletes or updates the rows that have reached an age. */
function purgeOf(name: string, database: Database, rows: ExpiringRows, maxAgeMs: number): Purge {
  return {
    name,
    removeBatch: (limit) =>
      database.transaction("operator", (transaction) => purgeExpired(transaction, rows, maxAgeMs, limit)),
    backlogSeconds: () => expiredSeconds(database.of("operator"), rows, maxAgeMs),
  };
}

function deletedEndpoints(database: Database): Purge {
  const find = (limit: number) => findDeletedEndpoints(database.of("operator"), limit);
  const scopeOf = ({ accountId, environment }: DeletedEndpoint) => ({ accountId, environment });
  return {
    name: "deleted_webhook_endpoints",
    async removeBatch(limit) {
      let removed = 0;
      for (const endpoint of await find(limit)) {
        const scope = scopeOf(endpoint);
        removed += await database
          .for(scope)
          .transaction((transaction) => removeDeliveries(transaction, endpoint, limit - removed));
        if (removed === limit) break;
        await removeEndpoint(database.for(scope), endpoint);
      }
      return removed;
    },
    async backlogSeconds() {
      const [oldest] = await find(1);
      return oldest?.age ?? 0;
    },
  };
}
